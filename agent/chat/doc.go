// Package chat has the forms in which a user writes to Redline: comments in code that ask for a
// change ([FindRequest]), the chat file ([Sections], [Append]), slash commands ([ParseSlash]) and
// templates ([ParseTemplate]). It also judges the words of a message: what it wants and its route
// ([RulesIn], [ChooseRoute]), whether it approves ([Approves]), and whether it is about the waiting
// plan ([Apart]). All but [Templates] are pure functions of texts.
package chat
