// Package blame knows which call made which lines of a text: it keeps the
// areas in which a text differs from its base, and where each comes from,
// through one call after another.
//
// An area becomes a hunk, the finest thing that a user decides on. So two calls on the
// same lines share an area, two calls on adjacent lines have areas that touch, and a text
// that was written as a whole has the plain difference ([AreasOf]). [Areas.Separate] joins
// areas of which one cannot stand without the other.
//
// [Source] says which calls made an area; they become the hunk's operations. When a plan
// is reworked, it also has the id of the hunk that the area was, until a call changes
// something in the area. So a hunk keeps its id, and what was decided about it, only while
// it is left alone: equal lines elsewhere are another hunk.
package blame
