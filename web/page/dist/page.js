"use strict";
(() => {
	const main = document.getElementById("page");
	const key = "redline.token";
	const start = new URLSearchParams(location.hash.slice(1)).get("token");
	if (start) {
		sessionStorage.setItem(key, start);
		history.replaceState(null, "", "/");
	}
	const el = (name, text, ...classes) => {
		const e = document.createElement(name);
		e.textContent = text;
		e.classList.add(...classes);
		return e;
	};
	async function api(method, path, body) {
		const r = await fetch("/api/" + path, {
			method, headers: { Authorization: "Redline " + sessionStorage.getItem(key), "Content-Type": "application/json" },
			body: body && JSON.stringify(body),
		});
		const answer = await r.json();
		if (!r.ok) throw Object.assign(new Error(answer.error), { status: r.status });
		return answer;
	}
	const action = (text, act) => {
		const b = el("button", text);
		b.addEventListener("click", () => act().then(show, say));
		return b;
	};
	const say = (err) => main.prepend(el("p", err.message));
	function ask() {
		const input = el("input", "");
		input.setAttribute("aria-label", "The code that redline review prints");
		main.replaceChildren(el("p", "Type the code that redline review prints."), input, action("Open", async () => {
			sessionStorage.setItem(key, (await api("POST", "code", { code: input.value })).token);
		}));
	}
	async function show() {
		if (!sessionStorage.getItem(key)) return ask();
		let s;
		try {
			s = await api("GET", "plan");
		} catch (err) {
			if (err.status === 401) return ask();
			return say(err);
		}
		const p = s.plan, bound = { revision: p.revision, hash: p.hash };
		const choose = (approve, reject) => async () => {
			const choice = { ...bound, approve: { plan: approve }, reject: { plan: reject }, run: [], drop: [] };
			const { sentences } = await api("POST", "preview-decision", choice);
			if (confirm(sentences.join("\n"))) await api("POST", "decide", choice);
		};
		main.replaceChildren(el("h1", "Plan " + p.plan + ": " + p.goal), el("p", p.state.replaceAll("_", " ")),
			...p.commands.map((c) => el("p", c.command + " (" + c.status + ")")));
		for (const f of s.view.files) {
			main.append(el("h2", f.path + " (" + f.action + ", " + f.status + ")"));
			for (const h of f.hunks) {
				const pre = el("pre", "");
				for (const r of h.rows) pre.append(el("div", { same: " ", removed: "-", added: "+" }[r.k] + r.text, r.k));
				main.append(pre);
			}
		}
		if (!s.ended) main.append(action("Approve", choose(true, false)), action("Reject", choose(false, true)));
	}
	void show();
})();
