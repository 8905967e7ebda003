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

(defvar redline--answers nil
  "What has been answered so far: an alist of connections to alists of turns.")

(defconst redline--answer-size 8000 "How many characters of an answer are kept to be drawn: its end.")

(defvar-local redline--answer nil "Overlay with the answer that comes, or nil.")

(defun redline--stream (connection event)
  "Show the part of an answer that EVENT of CONNECTION has."
  (let ((turn (plist-get event :turn)))
    (pcase (plist-get event :kind)
      ("token"
       (let ((text (concat (alist-get turn (alist-get connection redline--answers) nil nil #'equal) (plist-get event :text))))
         (setf (alist-get turn (alist-get connection redline--answers) nil nil #'equal)
               (substring text (- (min redline--answer-size (length text))))))
       (redline--draw-answer connection))
      ("turn.finished"
       (setf (alist-get turn (alist-get connection redline--answers) nil t #'equal) nil)
       (redline--draw-answer connection)))))

(defun redline--answers-end (connection)
  "Forget the answers of CONNECTION, which has ended."
  (setf (alist-get connection redline--answers nil t) nil)
  (redline--draw-answer connection))

(defun redline--draw-answer (connection)
  "Draw the answer that comes on CONNECTION, if a buffer has the chat file.
If several turns answer, it is that of the first of them."
  (when-let* ((buffer (find-buffer-visiting (expand-file-name ".redline/chat.md" (redline--root-of connection)))))
    (with-current-buffer buffer
      (let ((text (string-trim (or (cdar (last (alist-get connection redline--answers))) ""))))
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
(add-hook 'redline-ended-functions #'redline--answers-end)

(provide 'redline-chat)
;;; redline-chat.el ends here
