;;; redline.el --- An AI coding agent that asks before it edits  -*- lexical-binding: t -*-

;; Author: The Redline authors
;; Version: 0.1
;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, convenience
;; URL: https://redline.invalid
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Ask for a change, see it in your own text, and approve it.  Nothing changes before that.
;;
;;   (require 'redline)
;;   (redline-mode 1)
;;   (global-set-key (kbd "C-c r") redline-command-map)
;;
;; `redline-mode' works beside Eglot and lsp-mode, which keep the language's own server.
;; Without it, the commands use Eglot or lsp-mode, if one of them runs Redline.

;;; Code:

(require 'redline-client)
(require 'redline-transport)
(require 'redline-hunks)
(require 'redline-chat)
(require 'redline-more)

(autoload 'redline-menu "redline-menu" "Show Redline's commands and their keys." t)

(declare-function flymake-diagnostics "flymake")
(declare-function flymake-diagnostic-text "flymake")

(defvar redline-history nil "Requests that you have sent to Redline.")

(defvar redline-command-map
  (let ((map (make-sparse-keymap)))
    (define-key map "r" #'redline-ask)
    (define-key map "n" #'redline-next)
    (define-key map "p" #'redline-previous)
    (define-key map "a" #'redline-approve)
    (define-key map "k" #'redline-reject)
    (define-key map "A" #'redline-approve-plan)
    (define-key map "K" #'redline-reject-plan)
    (define-key map "u" #'redline-undo)
    (define-key map "c" #'redline-cancel)
    (define-key map "l" #'redline-list)
    (define-key map "v" #'redline-preview)
    (define-key map "w" #'redline-chat)
    (define-key map "f" #'redline-fix-problem)
    (define-key map "t" #'redline-try)
    (define-key map "o" #'redline-output)
    (define-key map "F" #'redline-fix)
    (define-key map "e" #'redline-ediff)
    (define-key map ";" #'redline-ask-comment)
    (define-key map "x" #'redline-act)
    (define-key map "m" #'redline-model)
    (define-key map "g" #'redline-agent)
    (define-key map "?" #'redline-menu)
    map)
  "Keymap of Redline's commands.  Bind it to a prefix key, such as \\`C-c r'.")

;;;###autoload
(define-minor-mode redline-mode
  "Run Redline in your projects and show proposed changes.
Redline starts with your first request in a project, and after that
whenever you visit a file of the project."
  :global t
  :group 'redline
  (cond (redline-mode
         (add-hook 'find-file-hook #'redline--found-file)
         (add-hook 'redline-hunks-functions #'redline--refresh)
         (dolist (buffer (buffer-list))
           (with-current-buffer buffer (redline--found-file))))
        (t
         (remove-hook 'find-file-hook #'redline--found-file)
         (mapc #'redline--stop (mapcar #'cdr redline--connections)))))

(defun redline--found-file ()
  "Show Redline this buffer if Redline has been used in this project."
  (when buffer-file-name
    (let ((root (and (not (file-remote-p buffer-file-name)) (redline--root buffer-file-name)))) ; a question over TRAMP is slow
      (when (and root (not (assoc root redline--connections))
                 (file-directory-p (expand-file-name ".redline" root))
                 (executable-find (car redline-command)))
        (with-demoted-errors "Redline: %S" (redline--start root)))
      (redline--show-buffer (current-buffer)))))

(defvar redline--in-mode-line t "Non-nil to show Redline's work and proposals in the mode line.")
(add-to-list 'minor-mode-alist '(redline--in-mode-line (:eval (redline--lighter))))

(defun redline--lighter ()
  "Return the text for the mode line: the work under way, or a count."
  (let ((working (and redline--connection (redline--working redline--connection))))
    (cond (working (format " Redline[%s]" (string-replace "%" "%%" (truncate-string-to-width working 30 nil nil "…"))))
          (redline--overlays (format " Redline[%d]" (length redline--overlays)))
          (redline--connection " Redline")
          (t ""))))

;; Without `redline-mode', lsp-mode reports when proposed changes have changed.
(defvar redline--again nil "Timer that redraws after lsp-mode has sent delayed edits, or nil.")
(defun redline--refresh-shown ()
  "Draw the proposed edits of the visible buffers again, now and in a second."
  (unless redline-mode
    (redline--refresh-windows)
    (unless redline--again
      (setq redline--again (run-with-timer 1 nil #'redline--refresh-windows)))))
(defun redline--refresh-windows ()
  "Draw the proposed edits of the visible buffers again."
  (setq redline--again nil)
  (dolist (window (window-list))
    (redline--refresh (window-buffer window))))
(with-eval-after-load 'lsp-mode ; which first makes an old name of the hook an alias
  (add-hook 'lsp-diagnostics-updated-hook #'redline--refresh-shown))

;;;###autoload
(defun redline-start ()
  "Start Redline for the project of this buffer."
  (interactive)
  (redline--here))

(defun redline--here ()
  "Return the connection for this buffer, or signal an error."
  (or (redline--connection-here t)
      (user-error "Redline does not run here: M-x redline-mode starts it")))

(defun redline--run (command argument &optional then)
  "Run Redline's COMMAND with ARGUMENT, and call THEN with the result."
  (redline--request (redline--here) command argument then))

;;;; Asking

;;;###autoload
(defun redline-ask (message &optional start end)
  "Send MESSAGE to Redline, about the text from START to END if given.
Interactively, that is the region if it is active."
  (interactive (let ((region (use-region-p)))
                 (redline--here) ; fail before the user types
                 (append (list (read-string (if region "Redline, about the region: " "Redline: ") nil 'redline-history))
                         (and region (list (region-beginning) (region-end))))))
  (when (string-empty-p (string-trim message))
    (user-error "Redline: the request is empty"))
  (setq deactivate-mark t)
  (redline--run "redline.chat" (append (list :message message) (redline--document start end))))

;;;###autoload
(defalias 'redline #'redline-ask)

(defun redline--document (&optional start end)
  "Return members that name this buffer and the range from START to END."
  (when buffer-file-name
    (append (list :textDocument (list :uri (redline--path-to-uri buffer-file-name)))
            (when start
              (save-restriction
                (widen)
                (list :range (list :start (redline--position start) :end (redline--position end t))))))))

(defun redline--position (point &optional end)
  "Return the beginning of the line of POINT as an LSP position.
With END non-nil, return the end of that line, unless POINT begins it.
Whole lines are the same in every encoding."
  (save-excursion
    (goto-char point)
    (list :line (+ (line-number-at-pos nil t) (if (and end (not (bolp))) 0 -1)) :character 0)))

(defun redline-fix-problem ()
  "Ask Redline to fix the Flymake diagnostics of this line."
  (interactive)
  (let ((texts (and (bound-and-true-p flymake-mode)
                    (mapcar #'flymake-diagnostic-text
                            (flymake-diagnostics (line-beginning-position) (line-end-position))))))
    (unless texts
      (user-error "Redline: Flymake shows no problem on this line"))
    (redline--run "redline.chat"
                  (append (list :message (concat "Fix this problem: " (string-join texts "\n")) :mode "plan" :quoted t)
                          (redline--document (line-beginning-position) (line-beginning-position 2))))))

(defun redline-cancel ()
  "Cancel what Redline is doing."
  (interactive)
  (redline--run "redline.cancel" nil
                (lambda (result)
                  (when (seq-empty-p (plist-get result :cancelled))
                    (message "Redline: nothing is running")))))

;;;; Moving

(defun redline-next (&optional backward)
  "Go to the next proposed change, after the last one in the next file.
With BACKWARD non-nil, go to the previous one."
  (interactive)
  (redline--here)
  (redline--refresh (current-buffer)
                    (lambda ()
                      (unless (redline--move backward (point))
                        (redline--run "redline.state" nil (apply-partially #'redline--next-file backward))))))

(defun redline-previous ()
  "Go to the previous proposed change, before the first one in another file."
  (interactive)
  (redline-next t))

(defun redline--move (backward from)
  "Go to the first hunk after FROM, or with BACKWARD to the last before.
Return nil if there is none."
  (when-let* ((overlay (if backward
                           (seq-find (lambda (o) (< (overlay-start o) from)) (reverse redline--overlays))
                         (seq-find (lambda (o) (> (overlay-start o) from)) redline--overlays)))
              (hunk (overlay-get overlay 'redline)))
    (push-mark from t)
    (goto-char (overlay-start overlay))
    (redline--reveal overlay)
    (message "%s"
             (substitute-command-keys
              (format "Redline: change %d of %d here%s (plan %d)"
                      (1+ (seq-position redline--overlays overlay)) (length redline--overlays)
                      (if (equal (plist-get hunk :status) "stale") (concat ", stale: " (plist-get hunk :reason))
                        ": \\[redline-approve] approves, \\[redline-reject] rejects")
                      (plist-get hunk :plan))))
    t))

(defun redline--next-file (backward state)
  "Go to the first hunk in the next file of STATE.
With BACKWARD, go to the last hunk in the file before."
  (let* ((uris (redline--undecided-files state))
         (uris (if backward (reverse uris) uris))
         (here (and buffer-file-name (redline--path-to-uri buffer-file-name)))
         (uri (or (cadr (member here uris)) (car uris))))
    (if (not uri)
        (message "Redline: no changes wait for you")
      (pop-to-buffer-same-window (redline--visit uri))
      (redline--refresh (current-buffer)
                        (lambda () (redline--move backward (if backward (1+ (point-max)) 0)))))))

(defun redline--undecided-files (state)
  "Return the URIs of the existing files with undecided hunks in STATE."
  (let (uris)
    (seq-doseq (plan (plist-get state :plans))
      (when (redline--open-p plan)
        (seq-doseq (file (plist-get plan :files))
          (let ((uri (plist-get file :uri)))
            (when (and (seq-some (lambda (hunk) (member (plist-get hunk :status) '("pending" "stale"))) (plist-get file :hunks))
                       (file-exists-p (redline--uri-to-path uri)))
              (cl-pushnew uri uris :test #'equal))))))
    (nreverse uris)))

;;;; Deciding

(defun redline--decide (command members &rest more)
  "Run COMMAND on what MEMBERS, a plist, name, with MORE members."
  (redline--run command (append members more (and (redline--all-saved-p) (list :saved t)))
                (lambda (_result) (redline--refresh (current-buffer)))))

(defun redline--all-saved-p ()
  "Return nil if a file has edits that Redline neither sees nor can read."
  (not (seq-some (lambda (buffer)
                   (with-current-buffer buffer
                     (and buffer-file-name (buffer-modified-p) (not (redline--connection-here)))))
                 (buffer-list))))

(defun redline--scope (hunk)
  "Return the members that name HUNK as it is shown."
  (list :plan (plist-get hunk :plan) :revision (plist-get hunk :revision) :hash (plist-get hunk :hash)
        :path (plist-get hunk :path) :hunk (plist-get hunk :hunk)))

(defun redline-approve ()
  "Approve the proposed change at point."
  (interactive)
  (redline--decide "redline.approve" (redline--scope (redline--hunk-here))))

(defun redline-reject (&optional reason)
  "Reject the proposed change at point.
With a prefix argument, ask for a REASON, which goes to the model."
  (interactive (list (and current-prefix-arg (read-string "Reason: "))))
  (redline--decide "redline.reject" (append (redline--scope (redline--hunk-here)) (and reason (list :reason reason)))))

(defun redline-approve-plan (number)
  "Approve the undecided rest of plan NUMBER, or of the newest that waits."
  (interactive "P")
  (redline--on-plan number #'redline--open-p
                    (lambda (plan)
                      (let ((commands (seq-filter (lambda (c) (equal (plist-get c :status) "pending")) (plist-get plan :commands))))
                        (redline--decide
                         "redline.approve" (redline--whole plan)
                         :allowCommands
                         (if (and (not (seq-empty-p commands))
                                  (y-or-n-p (format "Plan %d also has commands.  Run %s? " (plist-get plan :plan)
                                                    (mapconcat (lambda (c) (format "`%s'" (plist-get c :command))) commands " and "))))
                             t
                           :json-false))))))

(defun redline--whole (plan)
  "Return the members that name PLAN as it is now."
  (list :plan (plist-get plan :plan) :revision (plist-get plan :revision) :hash (plist-get plan :hash)))

(defun redline-reject-plan (number)
  "Reject the undecided rest of plan NUMBER, or of the newest that waits."
  (interactive "P")
  (redline--on-plan number #'redline--open-p (lambda (plan) (redline--decide "redline.reject" (redline--whole plan)))))

(defun redline-undo (number)
  "Undo plan NUMBER, or the newest plan that was applied."
  (interactive "P")
  (redline--on-plan number (lambda (plan) (eq t (plist-get plan :undoable)))
                    (lambda (plan) (redline--decide "redline.undo" (list :plan (plist-get plan :plan))))))

;;;; Plans

(defun redline--open-p (plan)
  "Return whether PLAN waits for the user."
  (member (plist-get plan :state) '("awaiting_approval" "reviewing" "failed")))

(defun redline--on-plan (number fits then)
  "Call THEN with plan NUMBER, or if that is nil the newest that FITS."
  (redline--with-plan number fits (lambda (_state plan) (funcall then plan))))

(defun redline--with-plan (number fits then)
  "Call THEN with the state and plan NUMBER, or with the newest plan that FITS."
  (redline--run "redline.state" nil
                (lambda (state)
                  (let* ((number (and number (prefix-numeric-value number)))
                         (plan (seq-find (lambda (p) (if number (eql number (plist-get p :plan)) (funcall fits p)))
                                         (reverse (plist-get state :plans))))) ; newest last
                    (if plan
                        (funcall then state plan)
                      (message "Redline: %s" (if number (format "there is no plan %d." number) "no plan waits for you.")))))))

(defun redline-list ()
  "Choose a plan, newest first, and show its preview."
  (interactive)
  (redline--run "redline.state" '(:all t)
                (lambda (state)
                  (let ((plans (mapcar (lambda (p) (cons (format "%d: %s (%s)" (plist-get p :plan) (plist-get p :goal)
                                                                 (string-replace "_" " " (plist-get p :state)))
                                                         (plist-get p :plan)))
                                       (reverse (plist-get state :plans)))))
                    (if (not plans)
                        (message "Redline: no plans yet")
                      (let ((choice (completing-read "Plan: " (redline--in-order (mapcar #'car plans)) nil t nil nil (caar plans))))
                        (redline-preview (cdr (assoc choice plans)))))))))

(defun redline--in-order (choices)
  "Return a completion table of CHOICES in their order."
  (lambda (string predicate action)
    (if (eq action 'metadata)
        '(metadata (display-sort-function . identity) (cycle-sort-function . identity))
      (complete-with-action action choices string predicate))))

(defun redline-preview (number)
  "Show the preview of plan NUMBER, or of the newest."
  (interactive "P")
  (redline--on-plan number #'identity
                    (lambda (plan)
                      (redline--show-page (list :plan (plist-get plan :plan)) #'redline--pop-to))))

(defun redline-chat ()
  "Open the chat file at its end, to write below \"## You\"."
  (interactive)
  (redline--show-page nil
                      (lambda (buffer)
                        (with-current-buffer buffer (goto-char (point-max)))
                        (redline--pop-to buffer)
                        (when-let* ((window (get-buffer-window buffer)))
                          (set-window-point window (with-current-buffer buffer (point-max)))))))

(defun redline--show-page (argument show)
  "Ask for the page of ARGUMENT, and call SHOW with its buffer.
See `redline--shown-by-answer-p'."
  (let* ((connection (redline--here))
         (own (cl-typep connection 'redline-connection)))
    (when own (cl-incf (redline--pages connection)))
    (with-current-buffer (if own (get-buffer-create " *redline*") (current-buffer)) ; this one may be killed before the answer
      (when own (setq default-directory (redline--root-of connection)))
      (redline--request connection "redline.show" argument
                        (lambda (result) (funcall show (redline--visit (plist-get result :uri))))
                        (lambda (text)
                          (when own (cl-decf (redline--pages connection)))
                          (message "%s" (redline--prefixed text)))))))

;;;; Trials

(defun redline-try (number command)
  "Run COMMAND as a trial on plan NUMBER, or on the newest plan.
If COMMAND is \"\", run the plan's own commands.  A trial runs on the
files as the plan would leave them, and changes none of them."
  (interactive (list current-prefix-arg (read-string "Try command (empty: the plan's own): ")))
  (redline--with-plan
   number #'redline--open-p
   (lambda (state plan)
     (let ((try (append (list :plan (plist-get plan :plan)) (unless (string-empty-p command) (list :command command)))))
       (if (not (equal (plist-get state :trials) "ask"))
           (redline--run "redline.try" try)
         (when (y-or-n-p "Trials run code of this workspace, in isolation.  Allow trials here? ")
           (redline--run "redline.allowTrials" nil
                         (lambda (allowed)
                           (when (eq t (plist-get allowed :allowed))
                             (redline--run "redline.try" try))))))))))

(defun redline-output (number)
  "Show the trials of plan NUMBER, or of the newest, with their output."
  (interactive "P")
  (redline--on-plan
   number #'redline--open-p
   (lambda (plan)
     (let ((shown (seq-filter (lambda (trial) (eq t (plist-get trial :shown))) (plist-get plan :trials))))
       (if (seq-empty-p shown)
           (message "Redline: nothing was tried on plan %d yet.  M-x redline-try runs a trial" (plist-get plan :plan))
         (with-help-window "*redline output*"
           (seq-doseq (trial shown)
             (princ (format "$ %s\n%s%s, after %.1f s%s\n\n%s\n"
                            (plist-get trial :command)
                            (if (plist-get trial :cwd) (format "in %s: " (plist-get trial :cwd)) "")
                            (plist-get trial :result) (/ (plist-get trial :durationMs) 1000.0)
                            (if (eq t (plist-get trial :current)) "" ", of an earlier text")
                            (plist-get trial :output))))))))))

(defun redline-fix (number)
  "Rework plan NUMBER, or the newest, to fix what failed.
That is a command or an edit of the plan, or else a trial."
  (interactive "P")
  (redline--on-plan
   number #'redline--open-p
   (lambda (plan)
     (let ((failed (seq-find (lambda (trial)
                               (and (eq t (plist-get trial :shown)) (eq t (plist-get trial :current))
                                    (not (equal (plist-get trial :verdict) "passed"))))
                             (plist-get plan :trials))))
       (cond
        ((equal (plist-get plan :state) "failed")
         (redline--run "redline.rework" (list :plan (plist-get plan :plan))))
        (failed
         (redline--run "redline.rework" (list :plan (plist-get plan :plan) :trial (plist-get failed :id))))
        (t (message "Redline: nothing to fix: no current trial of plan %d failed" (plist-get plan :plan))))))))

(provide 'redline)
;;; redline.el ends here
