;;; redline-eglot.el --- Redline as a server of Eglot's  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; You need this only without `redline-mode': to have Eglot run Redline, alone or behind a
;; multiplexer.  A `redline-server' is a server that Eglot does not wait for.

;;; Code:

(require 'eglot)
(require 'redline)

(declare-function eglot-execute "eglot")

(defclass redline-server (eglot-lsp-server) ()
  :documentation "Redline, or a multiplexer with Redline behind it.")

(cl-defmethod eglot-execute-command ((server redline-server) command arguments) ; Eglot before 1.17
  "Have SERVER run COMMAND with ARGUMENTS, and do not wait for it."
  (redline--request server (format "%s" command) (elt arguments 0)))

(cl-defmethod eglot-execute ((server redline-server) action)
  "Have SERVER run ACTION, and do not wait for it if it is a command."
  (if (stringp (plist-get action :command))
      (redline--request server (plist-get action :command) (elt (plist-get action :arguments) 0))
    (cl-call-next-method)))

(defvar eglot-confirm-server-initiated-edits) ; Eglot before 1.16
(defvar eglot-confirm-server-edits)
(cl-defmethod eglot-handle-request :around
  ((_ redline-server) (_method (eql workspace/applyEdit)) &key label &allow-other-keys)
  "Do not ask about an edit with the LABEL of Redline: it is approved."
  (if (equal label "Redline")
      (let (eglot-confirm-server-initiated-edits eglot-confirm-server-edits)
        (cl-call-next-method))
    (cl-call-next-method)))

(cl-defmethod eglot-handle-request :after ((_ redline-server) (_method (eql workspace/applyEdit)) &rest _)
  "Tell the server at once what an edit made of the buffers.
After a question Emacs may not idle before the next key."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (and (eglot-managed-p) (fboundp 'eglot--signal-textDocument/didChange))
        (eglot--signal-textDocument/didChange)))))

(cl-defmethod eglot-handle-notification :after
  ((_ redline-server) (_method (eql textDocument/publishDiagnostics)) &key uri &allow-other-keys)
  "Draw the proposed edits of the file URI again."
  (when-let* ((buffer (find-buffer-visiting (redline--uri-to-path uri))))
    (redline--refresh buffer)))

(provide 'redline-eglot)
;;; redline-eglot.el ends here
