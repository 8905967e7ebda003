// Package blame tracks which call made which lines of a text: it keeps the areas in which
// a text differs from its base, and the source of each, from call to call.
//
// An area becomes a hunk, the finest thing that a user decides on. So two calls on the
// same lines share an area, two calls on adjacent lines have areas that touch, and a text
// that was written as a whole has the plain difference ([AreasOf]). [Areas.Separate]
// joins areas if one cannot stand without the other.
//
// [Source] says which calls made an area; they become the hunk's operations. In a revised
// plan, it also has the id of the area's earlier hunk, until a call changes something in
// the area. So a hunk keeps its id, and the decisions on it, only while nothing changes
// it: equal lines elsewhere are another hunk.
package blame
