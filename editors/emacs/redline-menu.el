;;; redline-menu.el --- A menu of Redline's commands  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; `redline-menu' shows the commands with the keys of `redline-command-map'.  After those that move and
;; decide it stays open, so that a review takes one key for each change.

;;; Code:

(require 'transient)
(require 'redline)

;;;###autoload (autoload 'redline-menu "redline-menu" nil t)
(transient-define-prefix redline-menu ()
  "Show Redline's commands and their keys."
  [["Change"
    ("n" "next" redline-next :transient t)
    ("p" "previous" redline-previous :transient t)
    ("a" "approve" redline-approve :transient t)
    ("k" "reject" redline-reject :transient t)
    ("e" "compare (Ediff)" redline-ediff)]
   ["Plan"
    ("A" "approve the rest" redline-approve-plan)
    ("K" "reject the rest" redline-reject-plan)
    ("u" "undo" redline-undo)
    ("v" "preview" redline-preview)
    ("l" "list" redline-list)]
   ["Ask"
    ("r" "ask" redline-ask)
    (";" "ask in this comment" redline-ask-comment)
    ("f" "fix this problem" redline-fix-problem)
    ("x" "actions here" redline-act)
    ("w" "chat" redline-chat)
    ("c" "cancel" redline-cancel)]]
  [["Try"
    ("t" "try" redline-try)
    ("o" "output" redline-output)
    ("F" "fix what failed" redline-fix)]
   ["Choose"
    ("m" "model" redline-model)
    ("g" "agent" redline-agent)]])

(provide 'redline-menu)
;;; redline-menu.el ends here
