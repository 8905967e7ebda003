;;; redline-hunks.el --- Proposed changes, drawn in the text  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Each proposed change is an overlay: old lines are red, and new lines stand below them in
;; green.  The text itself does not change.

;;; Code:

(require 'redline-client)
(require 'redline-transport)

(defface redline-removed
  '((((class color) (min-colors 88) (background dark)) :background "#5f0000" :extend t)
    (((class color) (min-colors 88) (background light)) :background "#ffd7d7" :extend t)
    (((class color)) :background "red" :foreground "black" :extend t)
    (t :strike-through t))
  "Lines that a proposed change removes."
  :group 'redline)

(defface redline-added
  '((((class color) (min-colors 88) (background dark)) :background "#005f00" :extend t)
    (((class color) (min-colors 88) (background light)) :background "#d7ffd7" :extend t)
    (((class color)) :background "green" :foreground "black" :extend t)
    (t :weight bold))
  "Lines that a proposed change adds."
  :group 'redline)

(defface redline-stale '((t :inherit warning))
  "Lines of a stale change: you have edited them, so it cannot be approved."
  :group 'redline)

(defvar-local redline--overlays nil "Overlays of the proposed changes, in the order of their lines.")

(defun redline--refresh (buffer &optional then)
  "Fetch and draw the proposed edits of BUFFER, then call THEN.
If the text changes meanwhile, fetch them again."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (if-let* ((connection (and buffer-file-name (redline--connection-here))))
          (let ((tick (buffer-chars-modified-tick)))
            (redline--request connection "redline.hunks"
                              (list :textDocument (list :uri (redline--path-to-uri buffer-file-name)))
                              (lambda (result)
                                (if (eql tick (buffer-chars-modified-tick))
                                    (redline--draw (plist-get result :hunks))
                                  (run-with-timer 0.3 nil #'redline--refresh buffer))
                                (when then (funcall then)))
                              #'ignore))
        (redline--draw nil)))))

(defun redline--draw (hunks)
  "Draw HUNKS in this buffer instead of what is drawn there."
  (mapc #'delete-overlay redline--overlays)
  (setq redline--overlays
        (sort (mapcar #'redline--draw-one hunks) (lambda (a b) (< (overlay-start a) (overlay-start b)))))
  (force-mode-line-update))

(defun redline--draw-one (hunk)
  "Draw HUNK, and return its overlay."
  (save-restriction
    (widen)
    (let* ((range (plist-get hunk :range))
           (start (redline--point (plist-get range :start)))
           (end (redline--point (plist-get range :end)))
           (text (plist-get hunk :newText))
           (stale (equal (plist-get hunk :status) "stale"))
           (overlay (make-overlay start end nil t nil))
           (below (and (> end start) (/= ?\n (char-before end))))) ; the last line has no newline
      (unless (or (string-empty-p text) (string-suffix-p "\n" text))
        (setq text (concat text "\n")))
      (overlay-put overlay 'redline hunk)
      (overlay-put overlay 'priority 50)
      (overlay-put overlay 'face (if stale 'redline-stale 'redline-removed))
      (overlay-put overlay 'help-echo (plist-get hunk :reason))
      (unless (or stale (string-empty-p text))
        (overlay-put overlay 'after-string (concat (and below "\n") (propertize text 'face 'redline-added))))
      overlay)))

(defun redline--reveal (overlay)
  "Scroll the window to all of OVERLAY, its new lines included.
If it is too long, scroll to its beginning."
  (when (eq (window-buffer) (current-buffer))
    (let* ((lines (lambda (text) (cl-count ?\n (or text ""))))
           (size (+ (count-screen-lines (overlay-start overlay) (overlay-end overlay))
                    (funcall lines (overlay-get overlay 'after-string))))
           (height (window-body-height))
           (above (and (<= (window-start) (overlay-start overlay))
                       (count-screen-lines (window-start) (overlay-start overlay)))))
      (unless (and above (<= (+ above size (redline--added-between (window-start) (overlay-start overlay))) height))
        (recenter (max 0 (/ (- height size) 2)))))))

(defun redline--added-between (start end)
  "Return how many new lines are drawn between START and END."
  (apply #'+ (mapcar (lambda (o) (if (<= start (overlay-start o) (1- end))
                                     (cl-count ?\n (or (overlay-get o 'after-string) ""))
                                   0))
                     redline--overlays)))

(defun redline--hunk-here ()
  "Return the hunk at point or on its line, or signal an error."
  (or (seq-some (lambda (overlay) (overlay-get overlay 'redline))
                (append (overlays-at (point)) (overlays-in (line-beginning-position) (min (point-max) (1+ (line-end-position))))))
      (user-error "Redline: no proposed change here.  %s goes to the next" (substitute-command-keys "\\[redline-next]"))))

(provide 'redline-hunks)
;;; redline-hunks.el ends here
