;;; redline-transport.el --- Send requests to Redline  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; With `redline-mode', requests use Redline's own connection.  Without it, they use Eglot
;; or lsp-mode, if one of them runs Redline in this buffer.

;;; Code:

(require 'redline-client)

(defvar redline-mode)
(defvar lsp--cur-workspace)
(declare-function eglot-current-server "eglot")
(declare-function eglot--signal-textDocument/didChange "eglot")
(declare-function eglot--capabilities "eglot")
(declare-function lsp-workspaces "lsp-mode")
(declare-function lsp--workspace-client "lsp-mode")
(declare-function lsp--client-server-id "lsp-mode")
(declare-function lsp-request-async "lsp-mode")

(defun redline--connection-here (&optional start)
  "Return the connection for this buffer, nil if there is none.
With START non-nil, start Redline if `redline-mode' is on.
It is a `redline-connection', a server of Eglot's, or a workspace of
lsp-mode's."
  (if (bound-and-true-p redline-mode)
      (redline--own start)
    (or (when-let* ((server (and (fboundp 'eglot-current-server) (eglot-current-server)))
                    (commands (plist-get (plist-get (eglot--capabilities server) :executeCommandProvider) :commands)))
          (and (seq-contains-p commands "redline.chat") server))
        (and (fboundp 'lsp-workspaces)
             (seq-find (lambda (workspace) (eq 'redline (lsp--client-server-id (lsp--workspace-client workspace))))
                       (lsp-workspaces))))))

(defun redline--request (connection command argument &optional then failed)
  "Run COMMAND with ARGUMENT, a plist, on CONNECTION, without waiting.
Then call THEN with the result in this buffer, or FAILED with the text
of the error.  Without FAILED, show the error."
  (let* ((buffer (current-buffer))
         (done (lambda (result) ; later, so that THEN may ask the user
                 (when then
                   (run-at-time 0 nil (lambda ()
                                        (when (buffer-live-p buffer)
                                          (with-current-buffer buffer (funcall then result))))))))
         (refused (or failed (lambda (text) (message "%s" (redline--prefixed text)))))
         (params (list :command command :arguments (vector (or argument (make-hash-table))))))
    (cond
     ((cl-typep connection 'jsonrpc-connection)
      (redline--send-all)
      (when (and (not (cl-typep connection 'redline-connection)) (fboundp 'eglot--signal-textDocument/didChange))
        (eglot--signal-textDocument/didChange))
      (jsonrpc-async-request connection :workspace/executeCommand params :timeout nil
                             :success-fn done
                             :error-fn (lambda (err) (funcall refused (plist-get err :message)))))
     (t
      (let ((lsp--cur-workspace connection))
        (lsp-request-async "workspace/executeCommand" params (lambda (result) (funcall done (redline--plist result)))
                           :mode 'detached
                           :error-handler (lambda (err) (funcall refused (plist-get (redline--plist err) :message)))))))))

(defun redline--plist (value)
  "Return lsp-mode's VALUE with its hash tables converted to plists."
  (cond ((hash-table-p value)
         (let (plist)
           (maphash (lambda (key v) (setq plist (cl-list* (intern (concat ":" key)) (redline--plist v) plist))) value)
           plist))
        ((vectorp value) (vconcat (mapcar #'redline--plist value)))
        (t value)))

(provide 'redline-transport)
;;; redline-transport.el ends here
