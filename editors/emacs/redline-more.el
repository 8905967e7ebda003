;;; redline-more.el --- Compare, choose, act at point  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Ediff on a proposed file, requests in comments, code actions, and the choice of a model or an agent.

;;; Code:

(require 'json)
(require 'redline-client)
(require 'redline-transport)
(require 'redline-hunks)

(declare-function redline--here "redline")
(declare-function redline--run "redline")
(declare-function redline--document "redline")
(declare-function redline--in-order "redline")
(declare-function ediff-buffers "ediff")
(declare-function ediff-jump-to-difference "ediff-util")
(declare-function eglot-code-actions "eglot")
(declare-function lsp-execute-code-action "lsp-mode")
(defvar ediff-quit-hook)

;;;; Comparing

(defun redline-ediff ()
  "Compare this file with its text after the plan of the change at point."
  (interactive)
  (let* ((here (redline--hunk-here))
         (plan (plist-get here :plan))
         (overlays (seq-filter (lambda (o)
                                 (let ((hunk (overlay-get o 'redline)))
                                   (and (eql plan (plist-get hunk :plan)) (equal "pending" (plist-get hunk :status)))))
                               redline--overlays))
         (windows (current-window-configuration))
         (number (1+ (or (seq-position overlays here (lambda (o hunk) (eq hunk (overlay-get o 'redline)))) 0)))
         (proposed (redline--proposed overlays plan)))
    (unless overlays
      (kill-buffer proposed)
      (user-error "Redline: this change is stale: your text has changed where it would go"))
    (ediff-buffers (current-buffer) proposed
                   (list (lambda ()
                           (ignore-errors (ediff-jump-to-difference number))
                           (add-hook 'ediff-quit-hook
                                     (lambda ()
                                       (when (buffer-live-p proposed) (kill-buffer proposed))
                                       (set-window-configuration windows)) ; and point
                                     t t))))))

(defun redline--proposed (overlays plan)
  "Return a buffer with this text and all that OVERLAYS propose, for PLAN."
  (let ((text (redline--text))
        (mode major-mode)
        (changes (save-restriction
                   (widen)
                   (mapcar (lambda (o) (list (overlay-start o) (overlay-end o) (plist-get (overlay-get o 'redline) :newText)))
                           (reverse overlays))))
        (buffer (generate-new-buffer (format "%s, plan %d" (buffer-name) plan))))
    (with-current-buffer buffer
      (insert text)
      (pcase-dolist (`(,start ,end ,new) changes) ; the last one first
        (goto-char start)
        (delete-region start end)
        (insert new))
      (delay-mode-hooks (funcall mode))
      (set-buffer-modified-p nil)
      (setq buffer-read-only t))
    buffer))

;;;; Asking here

(defun redline-ask-comment ()
  "Send the request of the comment at point, which begins with \"redline:\"."
  (interactive)
  (redline--run "redline.chat" (append (list :comment t) (redline--document (line-beginning-position) (line-beginning-position)))))

(defun redline-act ()
  "Choose what to do here, from Redline's code actions."
  (interactive)
  (let ((connection (redline--here)))
    (cond
     ((cl-typep connection 'redline-connection)
      (redline--send-all)
      (let ((buffer (current-buffer)))
        (jsonrpc-async-request
         connection :textDocument/codeAction
         (append (redline--document (if (use-region-p) (region-beginning) (line-beginning-position))
                                    (if (use-region-p) (region-end) (line-beginning-position)))
                 '(:context (:diagnostics [])))
         :success-fn (lambda (actions)
                       (run-at-time 0 nil (lambda () (when (buffer-live-p buffer) (redline--choose-action buffer actions))))))))
     ((fboundp 'eglot-code-actions) (call-interactively #'eglot-code-actions))
     (t (call-interactively #'lsp-execute-code-action)))))

(defun redline--choose-action (buffer actions)
  "Ask which of ACTIONS to run in BUFFER, and run it."
  (with-current-buffer buffer
    (if (seq-empty-p actions)
        (message "Redline: there is nothing to do here")
      (let* ((named (mapcar (lambda (a) (cons (string-remove-prefix "Redline: " (plist-get a :title)) (plist-get a :command))) actions))
             (command (cdr (assoc (completing-read "Redline: " (redline--in-order (mapcar #'car named)) nil t) named))))
        (redline--run (plist-get command :command) (elt (plist-get command :arguments) 0))))))

;;;; Choosing

(defun redline-agent ()
  "Choose the agent of this conversation: one of your own, or none."
  (interactive)
  (redline--run "redline.complete" '(:text "/agent ")
                (lambda (result)
                  (let ((names (mapcar (lambda (item) (plist-get item :insert)) (plist-get result :items))))
                    (if (not (cdr names))
                        (message "Redline: no agent of your own is here: a file in `.redline/agents/' makes one")
                      (redline--run "redline.chat" (list :message (concat "/agent " (completing-read "Agent: " names nil t)))))))))

(defun redline-model (name)
  "Use the model NAME until you leave Emacs, and start Redline again.
Interactively, choose among those that your endpoint lists."
  (interactive (list (redline--read-model)))
  (let ((connection (redline--here)))
    (unless (cl-typep connection 'redline-connection)
      (user-error "Redline: Eglot or lsp-mode runs the server: set REDLINE_MODEL for it"))
    (when (redline--working connection)
      (user-error "Redline: a turn is running: cancel it, then choose the model"))
    (setq redline--model name)
    (redline--stop connection)
    (redline--start (redline--root-of connection))
    (redline--run "redline.state" nil
                  (lambda (state)
                    (message "Redline: the model is %s, until you leave Emacs" (plist-get (plist-get state :model) :name))))))

(defun redline--read-model ()
  "Ask for the name of a model."
  (let* ((settings (redline--output "doctor" "--config"))
         (endpoint (redline--setting settings "model.base_url"))
         (provider (redline--setting settings "model.provider")))
    (unless (or endpoint provider)
      (user-error "Redline: no model is set up: run `redline setup' in a terminal, then M-x redline-start"))
    (let* ((key (redline--setting settings "model.api_key_env"))
           (answer (apply #'redline--output "setup" "--models" "--json" "--provider" (or provider "other")
                          (append (and endpoint (list "--base-url" endpoint)) (and key (list "--api-key-env" key)))))
           (names (append (alist-get 'models (ignore-errors (json-read-from-string answer))) nil)))
      (if names
          (completing-read "Model: " names nil t)
        (read-string "The endpoint lists no models.  Name of the model: ")))))

(defun redline--output (&rest arguments)
  "Return what Redline's program prints with ARGUMENTS."
  (with-temp-buffer
    (let ((process-file-side-effects nil))
      (apply #'process-file (car redline-command) nil '(t nil) nil arguments))
    (buffer-string)))

(defun redline--setting (printed name)
  "Return the value of NAME in PRINTED, the settings, or nil for none."
  (when (string-match (concat "^" (regexp-quote name) " +\\([^( \n][^\n]*?\\)  ") printed)
    (match-string 1 printed)))

(provide 'redline-more)
;;; redline-more.el ends here
