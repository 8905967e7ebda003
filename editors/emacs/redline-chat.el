;;; redline-chat.el --- Answers as they come, in the chat  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; While the model answers, its words stand behind the text of the chat file, in an overlay: the file
;; itself has the answer when it is complete.

;;; Code:

(require 'redline-client)

(defface redline-answer '((t :inherit shadow))
  "An answer of the model that is not complete yet."
  :group 'redline)

(defvar redline--answers nil "Alist of connections and the texts that their turns have answered so far.")

(defvar-local redline--answer nil "Overlay with the answer that comes, or nil.")

(defun redline--stream (connection event)
  "Show the part of an answer that EVENT of CONNECTION has."
  (pcase (plist-get event :kind)
    ("turn.started" (setf (alist-get connection redline--answers) ""))
    ("token"
     (setf (alist-get connection redline--answers)
           (concat (alist-get connection redline--answers) (plist-get event :text)))
     (redline--draw-answer connection))
    ("turn.finished"
     (setf (alist-get connection redline--answers nil t) nil)
     (redline--draw-answer connection))))

(defun redline--draw-answer (connection)
  "Draw the answer that comes on CONNECTION, if a buffer has the chat file."
  (when-let* ((buffer (find-buffer-visiting (expand-file-name ".redline/chat.md" (redline--root-of connection)))))
    (with-current-buffer buffer
      (let ((text (string-trim (or (alist-get connection redline--answers) ""))))
        (when redline--answer
          (delete-overlay redline--answer)
          (setq redline--answer nil))
        (unless (string-empty-p text)
          (let* ((window (get-buffer-window buffer))
                 (room (if window (max 3 (- (window-body-height window) 3)) 20))
                 (lines (last (split-string text "\n") room)))
            (setq redline--answer (make-overlay (point-max) (point-max)))
            (overlay-put redline--answer 'after-string
                         (propertize (concat "\n" (string-join lines "\n") "\n") 'face 'redline-answer))
            (when (and window (= (window-point window) (point-max)))
              (with-selected-window window
                (recenter (max 0 (- (window-body-height) 2 (length lines))))))))))))

(add-hook 'redline-event-functions #'redline--stream)

(provide 'redline-chat)
;;; redline-chat.el ends here
