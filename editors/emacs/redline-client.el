;;; redline-client.el --- A connection to Redline of its own  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Eglot runs one server in a buffer, and that should be the language's own.  So
;; `redline-mode' does not use Eglot: it starts `redline serve' once for each project and
;; speaks LSP with it through jsonrpc.el, which is part of Emacs.  It sends Redline every
;; visited file of the project, whatever its mode, and applies the edits that Redline sends.
;; Completion, diagnostics and the like stay with the language's own server.

;;; Code:

(require 'jsonrpc)
(require 'subr-x)
(require 'url-util)
(require 'cl-lib)

(defgroup redline nil
  "An AI coding agent that changes nothing before you approve it."
  :group 'tools
  :prefix "redline-")

(defcustom redline-command '("redline" "serve")
  "Redline's server: the program and its arguments."
  :type '(repeat string))

(defcustom redline-show-documents t
  "Non-nil if Redline may show documents, such as plans, in another window."
  :type 'boolean)

(defvar redline-hunks-functions nil
  "Functions called with a buffer whose proposed changes may have changed.")

(defvar redline-event-functions nil
  "Functions called with a connection and each event of a turn, a plist.")

(defvar redline-ended-functions nil
  "Functions called with a connection that has ended.")

(defvar redline--model nil "The model that was chosen in this Emacs, or nil for that of the settings.")

(defclass redline-connection (jsonrpc-process-connection)
  ((root :initarg :root :accessor redline--root-of :documentation "The folder of the project.")
   (began :initform (float-time) :accessor redline--began :documentation "When it was started, in seconds.")
   (closing :initform nil :accessor redline--closing :documentation "Non-nil if Emacs has asked it to end.")
   (pages :initform 0 :accessor redline--pages :documentation "How many pages were asked for, which Emacs shows by itself.")
   (progress :initform nil :accessor redline--progress
             :documentation "The running work, as a list of (TOKEN TITLE MESSAGE)."))
  :documentation "A running `redline serve', and what Emacs has shown it.")

(defvar redline--connections nil "Alist of project folders and their connections.")

(defvar-local redline--connection nil "The connection that has this buffer's text, or nil.")
(defvar-local redline--uri nil "The URI of this buffer's file.")
(defvar-local redline--version 0 "The version of the text that was sent last.")
(defvar-local redline--unsent nil "Non-nil if the text has changed since.")
(defvar redline--timer nil "Timer that sends changed texts, or nil.")

;;;; Files

(defun redline--path-to-uri (path)
  "Return the URI of the file PATH, on the machine that has it."
  (let ((path (file-local-name (expand-file-name path))))
    (concat "file://" (unless (string-prefix-p "/" path) "/") (url-hexify-string path url-path-allowed-chars))))

(defun redline--uri-to-path (uri)
  "Return the file that URI names, on the machine of `default-directory'."
  (let ((path (decode-coding-string (url-unhex-string (string-remove-prefix "file://" uri)) 'utf-8)))
    (concat (file-remote-p default-directory)
            (if (string-match-p "\\`/[A-Za-z]:" path) (substring path 1) path))))

(defun redline--root (path)
  "Return the project of PATH: the nearest folder with .redline or .git."
  (file-name-as-directory
   (expand-file-name
    (or (locate-dominating-file path (lambda (dir) (seq-some (lambda (name) (file-exists-p (expand-file-name name dir)))
                                                             '(".redline" ".git"))))
        (file-name-directory path)))))

(defun redline--visit (uri)
  "Return a buffer that visits the file that URI names, without a question."
  (let* ((path (redline--uri-to-path uri))
         (enable-local-variables :safe)
         (buffer (or (find-buffer-visiting path) (find-file-noselect path t))))
    (with-current-buffer buffer
      (unless (or (buffer-modified-p) (verify-visited-file-modtime buffer))
        (revert-buffer t t t)) ; or the first edit would ask about the changed file
      (when (string-match-p "/\\.redline/" path)
        (auto-revert-mode 1))) ; Redline writes these files
    buffer))

;;;; Starting and ending

(defun redline--start (root)
  "Start Redline for the project in the folder ROOT, and return the connection."
  (redline--check-program root)
  (let* ((default-directory root)
         (remote (file-remote-p root))
         (process-environment (if redline--model (cons (concat "REDLINE_MODEL=" redline--model) process-environment)
                                process-environment))
         (name (format "redline %s" (file-name-nondirectory (directory-file-name root))))
         (connection
          (redline-connection
           :name name :root root :events-buffer-scrollback-size 0
           :request-dispatcher #'redline--handle-request
           :notification-dispatcher #'redline--handle-notification
           :on-shutdown #'redline--ended
           :process (lambda ()
                      (make-process :name name :command (redline--command-line remote) :connection-type 'pipe :noquery t
                                    :coding 'utf-8-emacs-unix :file-handler t
                                    :stderr (get-buffer-create (format "*%s stderr*" name)))))))
    (jsonrpc-request
     connection :initialize
     (list :processId (unless remote (emacs-pid))
           :clientInfo (list :name "emacs" :version emacs-version)
           :rootUri (redline--path-to-uri (directory-file-name root))
           :workspaceFolders (vector (list :uri (redline--path-to-uri (directory-file-name root))
                                           :name (file-name-nondirectory (directory-file-name root))))
           :capabilities
           '( :general (:positionEncodings ["utf-32"]) ; as Emacs counts
              :workspace (:applyEdit t :workspaceEdit (:documentChanges t))
              :textDocument (:synchronization (:willSave t :didSave t) :publishDiagnostics (:relatedInformation :json-false))
              :window (:workDoneProgress t :showDocument (:support t))
              :experimental (:redline (:events t)))))
    (jsonrpc-notify connection :initialized (make-hash-table))
    (push (cons root connection) redline--connections)
    (dolist (buffer (buffer-list))
      (redline--show-buffer buffer))
    connection))

(defun redline--check-program (root)
  "Signal an error unless Redline's program is on the machine of ROOT."
  (let ((default-directory root))
    (unless (executable-find (car redline-command) t)
      (if (file-remote-p root)
          (user-error "Redline: cannot find `%s' on %s: install it there, where `tramp-remote-path' has it, or set `redline-command'"
                      (car redline-command) (file-remote-p root))
        (user-error "Redline: cannot find `%s': put it on your PATH, or set `redline-command'" (car redline-command))))))

(defun redline--command-line (remote)
  "Return the command of the server, in a shell if REMOTE is non-nil.
TRAMP gives a program a terminal, which would change the messages."
  (if remote
      (list "/bin/sh" "-c" (concat "stty raw -echo > /dev/null 2>&1; exec "
                                   (and redline--model (concat "env REDLINE_MODEL=" (shell-quote-argument redline--model) " "))
                                   (mapconcat #'shell-quote-argument redline-command " ")))
    redline-command))

(defun redline--stop (connection)
  "End CONNECTION with LSP's shutdown and exit."
  (setf (redline--closing connection) t)
  (ignore-errors
    (jsonrpc-request connection :shutdown nil :timeout 3)
    (jsonrpc-notify connection :exit nil)
    (while (and (jsonrpc-running-p connection) (accept-process-output nil 1)))))

(defun redline--ended (connection)
  "Forget the ended CONNECTION, and start another if the server crashed."
  (let ((root (redline--root-of connection)))
    (setq redline--connections (rassq-delete-all connection redline--connections))
    (dolist (buffer (buffer-list))
      (with-current-buffer buffer
        (when (eq redline--connection connection)
          (setq redline--connection nil)
          (run-hook-with-args 'redline-hunks-functions buffer))))
    (run-hook-with-args 'redline-ended-functions connection)
    (force-mode-line-update t)
    (unless (redline--closing connection)
      (if (< (- (float-time) (redline--began connection)) 3)
          (message "Redline: Server exited at once.  M-x redline-start tries again")
        (message "Redline: Server exited and is restarting.  Your plans are kept")
        (run-at-time 0 nil (lambda () (with-demoted-errors "Redline: %S" (redline--start root))))))))

(defun redline--own (&optional start)
  "Return the connection of this buffer's project.
If there is none, START one if that is non-nil, else return nil."
  (let ((root (redline--root (or buffer-file-name default-directory))))
    (or redline--connection
        (cdr (assoc root redline--connections))
        (and start (redline--start root)))))

;;;; Showing buffers

(defun redline--show-buffer (buffer)
  "Show Redline the text of BUFFER, if it visits a file of a running project."
  (with-current-buffer buffer
    (when-let* ((path buffer-file-name)
                ((not (or redline--connection (string-match-p "/\\.git/" path))))
                (connection (cdr (seq-find (lambda (c) (string-prefix-p (car c) (expand-file-name path))) redline--connections))))
      (setq redline--connection connection redline--version 0 redline--unsent nil redline--uri (redline--path-to-uri path))
      (add-hook 'after-change-functions #'redline--changed nil t)
      (add-hook 'before-save-hook #'redline--will-save nil t)
      (add-hook 'after-save-hook #'redline--saved nil t)
      (add-hook 'kill-buffer-hook #'redline--hide nil t)
      (add-hook 'after-set-visited-file-name-hook #'redline--renamed nil t)
      (jsonrpc-notify connection :textDocument/didOpen
                      (list :textDocument (list :uri redline--uri :version 0 :text (redline--text)
                                                :languageId (string-remove-suffix "-mode" (symbol-name major-mode)))))
      (run-hook-with-args 'redline-hunks-functions buffer))))

(defun redline--text ()
  "Return the text of the whole buffer."
  (save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max))))

(defun redline--changed (&rest _)
  "Note that the text has changed, and send it in the next pause."
  (when redline--connection
    (setq redline--unsent t)
    (unless redline--timer
      (setq redline--timer (run-with-timer 0.2 nil #'redline--send-all)))))

(defun redline--send ()
  "Send Redline the text of this buffer if it has changed."
  (when (and redline--connection redline--unsent)
    (setq redline--unsent nil)
    (cl-incf redline--version)
    (jsonrpc-notify redline--connection :textDocument/didChange
                    (list :textDocument (list :uri redline--uri :version redline--version)
                          :contentChanges (vector (list :text (redline--text)))))))

(defun redline--send-all ()
  "Send Redline all changed texts."
  (when redline--timer (cancel-timer redline--timer))
  (setq redline--timer nil)
  (dolist (buffer (buffer-list))
    (when (buffer-local-value 'redline--unsent buffer)
      (with-current-buffer buffer
        (redline--send)
        (run-hook-with-args 'redline-hunks-functions buffer)))))

(defun redline--will-save ()
  "Tell Redline why this buffer is saved: by a command (1), or by a timer (2)."
  (when redline--connection
    (jsonrpc-notify redline--connection :textDocument/willSave
                    (list :textDocument (list :uri redline--uri) :reason (if this-command 1 2)))))

(defun redline--saved ()
  "Tell Redline that this buffer is saved."
  (when redline--connection
    (redline--send)
    (jsonrpc-notify redline--connection :textDocument/didSave (list :textDocument (list :uri redline--uri)))))

(defun redline--hide ()
  "Tell Redline that this buffer is closed."
  (when redline--connection
    (ignore-errors (jsonrpc-notify redline--connection :textDocument/didClose (list :textDocument (list :uri redline--uri))))
    (setq redline--connection nil)))

(defun redline--renamed ()
  "Tell Redline that this buffer visits another file now."
  (redline--hide)
  (redline--show-buffer (current-buffer)))

;;;; Requests of Redline

(defun redline--handle-request (connection method params)
  "Answer Redline's request METHOD with PARAMS on CONNECTION."
  (let ((default-directory (redline--root-of connection)))
    (pcase method
      ('workspace/applyEdit (redline--apply (plist-get params :edit)))
      ('window/showDocument
       (list :success (if (or (redline--shown-by-answer-p connection params) (redline--show-document params)) t :json-false)))
      ('window/workDoneProgress/create nil)
      (_ (jsonrpc-error :code -32601 :message (format "Emacs does not support %s" method))))))

(defun redline--shown-by-answer-p (connection params)
  "Return non-nil if the document of PARAMS is a page for `redline--show-page'.
CONNECTION asks for it beside its answer, and maybe later than that: shown
again, it would take the focus from what the user does by then."
  (when (and (eq t (plist-get params :takeFocus)) (not (plist-get params :selection)) (< 0 (redline--pages connection)))
    (cl-decf (redline--pages connection))
    t))

(defun redline--show-document (params)
  "Show the document of PARAMS in another window.  Return non-nil if shown."
  (when-let* ((uri (plist-get params :uri))
              ((and redline-show-documents (string-prefix-p "file:" uri)))
              (window (display-buffer (redline--visit uri) '(nil (inhibit-same-window . t)))))
    (when-let* ((at (plist-get params :selection)))
      (with-selected-window window
        (goto-char (point-min))
        (forward-line (plist-get (plist-get at :start) :line))))
    (when (and (eq t (plist-get params :takeFocus)) (not (active-minibuffer-window)))
      (select-window window))
    t))

(defun redline--pop-to (buffer)
  "Show BUFFER and select its window.
While the minibuffer is active only show it, and later: an answer that
comes late must not take what you type there, and when the minibuffer
exits Emacs restores the windows."
  (if (not (active-minibuffer-window))
      (pop-to-buffer buffer)
    (letrec ((show (lambda ()
                     (remove-hook 'minibuffer-exit-hook show)
                     (run-at-time 0 nil #'display-buffer buffer))))
      (add-hook 'minibuffer-exit-hook show))))

(defun redline--apply (edit)
  "Apply the workspace EDIT, all or nothing, and return the answer."
  (condition-case err
      (let ((changes (mapcar (lambda (change)
                               (let* ((document (plist-get change :textDocument))
                                      (buffer (redline--visit (plist-get document :uri))))
                                 (redline--check buffer (plist-get document :version))
                                 (cons buffer (plist-get change :edits))))
                             (plist-get edit :documentChanges))))
        (pcase-dolist (`(,buffer . ,edits) changes)
          (with-current-buffer buffer
            (redline--edit edits)
            (redline--send))) ; before the answer, when Redline checks the text
        '(:applied t))
    (error (list :applied :json-false :failureReason (error-message-string err)))))

(defun redline--check (buffer version)
  "Signal an error unless BUFFER can be edited and still has VERSION."
  (with-current-buffer buffer
    (redline--show-buffer buffer)
    (redline--send)
    (when buffer-read-only
      (error "%s is read-only in Emacs" (buffer-name)))
    (unless (or (null version) (eql version redline--version))
      (error "%s was changed meanwhile" (buffer-name)))))

(defun redline--edit (edits)
  "Apply EDITS, LSP text edits, to this buffer as one undo step."
  (save-excursion
    (save-restriction
      (widen)
      (undo-boundary)
      (let ((places (mapcar (lambda (e)
                              (let ((range (plist-get e :range)))
                                (list (copy-marker (redline--point (plist-get range :start)))
                                      (copy-marker (redline--point (plist-get range :end)))
                                      (plist-get e :newText))))
                            edits))
            (inhibit-modification-hooks nil))
        (pcase-dolist (`(,start ,end ,text) (nreverse places)) ; last first, so that no edit moves another
          (goto-char start)
          (delete-region start end)
          (insert text)
          (set-marker start nil)
          (set-marker end nil)))
      (undo-boundary))))

(defun redline--point (position)
  "Return the point at an LSP POSITION in this widened buffer."
  (save-excursion
    (goto-char (point-min))
    (forward-line (plist-get position :line))
    (min (+ (point) (plist-get position :character)) (line-end-position))))

;;;; Notifications of Redline

(defun redline--handle-notification (connection method params)
  "Show the notification METHOD of CONNECTION with PARAMS."
  (pcase method
    ('window/showMessage (redline--say (plist-get params :message)))
    ('$/progress (redline--note-progress connection (plist-get params :token) (plist-get params :value)))
    ('redline/event (run-hook-with-args 'redline-event-functions connection params))
    ('textDocument/publishDiagnostics
     (when-let* ((default-directory (redline--root-of connection))
                 (buffer (find-buffer-visiting (redline--uri-to-path (plist-get params :uri)))))
       (run-hook-with-args 'redline-hunks-functions buffer)))))

(defvar redline--said nil "Redline's last message, as (SECONDS . TEXT).")
(defvar redline--news nil "The progress that the echo area shows, or nil.")

(defun redline--say (text)
  "Show Redline's message TEXT, and after a new plan the keys to press."
  (let ((keys (if (string-match-p " is ready\\b" text)
                  (substitute-command-keys "  \\[redline-next] goes to a change, \\[redline-approve-plan] approves the plan")
                "")))
    (setq redline--said (cons (float-time) (concat (redline--prefixed text) keys)) redline--news nil)
    (message "%s" (cdr redline--said))))

(defun redline--prefixed (text)
  "Return TEXT with the prefix \"Redline: \"."
  (if (string-prefix-p "Redline" text) text (concat "Redline: " text)))

(defun redline--note-progress (connection token value)
  "Note VALUE, the progress of TOKEN on CONNECTION, and show it."
  (let ((entry (assoc token (redline--progress connection))))
    (pcase (plist-get value :kind)
      ("end" (setf (redline--progress connection) (delq entry (redline--progress connection))))
      ("begin" (push (list token (plist-get value :title) (plist-get value :message)) (redline--progress connection)))
      (_ (when entry (setf (nth 2 entry) (plist-get value :message)))))
    (redline--show-progress (redline--working connection))
    (force-mode-line-update t)))

(defun redline--show-progress (text)
  "Show the progress TEXT in the echo area, or clear it if TEXT is nil.
A turn that ends at once sends its message before its progress begins:
then show that message again."
  (unless (active-minibuffer-window)
    (let (message-log-max)
      (cond (text (message "%s" (setq redline--news (redline--prefixed text))))
            ((and redline--news (equal redline--news (current-message)))
             (message "%s" (if (< (- (float-time) (or (car redline--said) 0)) 3) (cdr redline--said) "")))))))

(defun redline--working (connection)
  "Return what CONNECTION is doing as one line, or nil."
  (pcase (car (redline--progress connection))
    (`(,_ ,title ,message) (or message title))))

(provide 'redline-client)
;;; redline-client.el ends here
