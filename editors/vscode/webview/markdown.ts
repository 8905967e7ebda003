import DOMPurify from 'dompurify';
import MarkdownIt from 'markdown-it';
import { element } from './element';

/** Renders untrusted Markdown: no HTML, no images, and links to the web only. */
const markdown = new MarkdownIt({ html: false, linkify: false, breaks: false }).disable('image');
markdown.validateLink = (link) => /^https?:/i.test(link);

/** Returns the HTML of a text, which is not sanitised yet. */
export const html = (text: string): string => markdown.render(text);

const allowed = ['p', 'br', 'strong', 'em', 's', 'code', 'pre', 'ul', 'ol', 'li', 'blockquote', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td'];

/** Renders a text so that nothing in it can run, load or look like a part of the page. */
export function rendered(text: string): DocumentFragment {
	const fragment = DOMPurify.sanitize(html(text), {
		ALLOWED_TAGS: allowed, ALLOWED_ATTR: ['href', 'class'], ALLOWED_URI_REGEXP: /^https?:/i, ALLOW_DATA_ATTR: false, RETURN_DOM_FRAGMENT: true,
	});
	for (const code of fragment.querySelectorAll('pre > code.language-diff')) {
		colour(code);
	}
	for (const [i, block] of fragment.querySelectorAll('pre').entries()) {
		block.tabIndex = 0; // makes long lines scrollable with the keyboard
		block.setAttribute('role', 'group');
		block.setAttribute('aria-label', 'Code');
		const whole = element('div', { class: 'block' });
		block.replaceWith(whole);
		whole.append(block, element('button', { type: 'button', class: 'copy', 'data-act': `copy-${i}`, 'aria-label': 'Copy this code', title: 'Copy this code' }, 'Copy'));
	}
	return fragment;
}

/** Marks the added and removed lines of a diff. */
function colour(code: Element): void {
	const lines = code.textContent.replace(/\n$/, '').split('\n');
	code.replaceChildren(...lines.map((line) => {
		const span = document.createElement('span');
		span.className = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : line.startsWith('@@') ? 'at' : '';
		span.textContent = line + '\n';
		return span;
	}));
}
