;;; redline-eglot.el --- Run Redline in Eglot  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; You need this only without `redline-mode': Eglot then runs Redline, alone or behind a
;; multiplexer.  Eglot does not wait for the commands of a `redline-server'.

;;; Code:

(require 'eglot)
(require 'redline)

(declare-function eglot-execute "eglot")

(defclass redline-server (eglot-lsp-server) ()
  :documentation "Redline, or a multiplexer with Redline behind it.")

(cl-defmethod eglot-execute-command ((server redline-server) command arguments) ; Eglot before 1.17
  "Run COMMAND with ARGUMENTS on SERVER, without waiting."
  (redline--request server (format "%s" command) (elt arguments 0)))

(cl-defmethod eglot-execute ((server redline-server) action)
  "Run ACTION on SERVER, without waiting if it is a command."
  (if (stringp (plist-get action :command))
      (redline--request server (plist-get action :command) (elt (plist-get action :arguments) 0))
    (cl-call-next-method)))

(defvar eglot-confirm-server-initiated-edits) ; Eglot before 1.16
(defvar eglot-confirm-server-edits)
(cl-defmethod eglot-handle-request :around
  ((_ redline-server) (_method (eql workspace/applyEdit)) &key label &allow-other-keys)
  "Apply an edit with the LABEL of Redline without asking: it is approved."
  (if (equal label "Redline")
      (let (eglot-confirm-server-initiated-edits eglot-confirm-server-edits)
        (cl-call-next-method))
    (cl-call-next-method)))

(cl-defmethod eglot-handle-request :after ((_ redline-server) (_method (eql workspace/applyEdit)) &rest _)
  "Send the edited texts to the server at once.
After a question, Emacs may not idle before the next key."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (and (eglot-managed-p) (fboundp 'eglot--signal-textDocument/didChange))
        (eglot--signal-textDocument/didChange)))))

(cl-defmethod eglot-handle-notification :after
  ((_ redline-server) (_method (eql textDocument/publishDiagnostics)) &key uri &allow-other-keys)
  "Redraw the proposed edits of the file URI."
  (when-let* ((buffer (find-buffer-visiting (redline--uri-to-path uri))))
    (redline--refresh buffer)))

(provide 'redline-eglot)
;;; redline-eglot.el ends here
