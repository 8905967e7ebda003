package workspace

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOutlineOfLanguages(t *testing.T) {
	w := New(nil, Options{})
	for name, c := range map[string]struct{ text, want string }{
		"a.ts": {`
import x from "y" // function no() {
/* class No {
function no() {} */
export const add = async (a: number): Promise<number> => {
	const inner = 1
	if (a) {
	}
}
const one = x => x, two = 2
export const LIMIT: number = 1
export default class Cart<T> extends Base {
	#items = new Map<string, T>()
	constructor(private x: T) {
		super(x)
		call(x)
	}
	static async *all(): AsyncGenerator<T> {
	}
	get size() { return this.#items.size }
	private handler = (e: Event) => {
		run(e)
	}
	call(x);
}
const text = ` + "`" + `
class No {
` + "`" + `
interface Shape {
	area(unit: string): number;
}
type Pair = [a, b]
function last() {}
`, `5 function add
10 function one
11 const LIMIT
12 class Cart
14  method constructor
18  method all
20  method size
29 interface Shape
30  method area
32 type Pair
33 function last`},
		"a.c": {`
#include <x.h>
#define MAX(a, b) ((a) > (b))
struct point;
struct point {
	int x;
};
typedef unsigned long word;
static struct point *make(int x);
static struct point *
make_one(int x)
{
	return call(x);
}
int main(int argc,
	 char **argv)
{
	if (argc) {
		struct point p = {0};
	}
	else if (x) {
	}
}
enum color { RED };
static int table[] = { f(1) };
`, `3 define MAX
5 struct point
8 type word
15 function main
24 enum color`},
		"a.cpp": {`
namespace shop {
class Cart : public Base {
 public:
  explicit Cart(int n);
  ~Cart() override;
  int total() const { return n_; }
 private:
  int n_;
};
}
template <typename T>
T shop::Cart::get(const T& a) {
}
shop::Cart::Cart(int n) : n_(n) {}
`, `2 namespace shop
3 class Cart
5  method Cart
6  method ~Cart
7  method total
13 function shop::Cart::get
15 function shop::Cart::Cart`},
		"A.java": {`
package shop;
/** class No {} */
public final class Cart<T> implements Base {
    private final List<Item> items = new ArrayList<>();
    public Cart(int n) {
        this.run(n);
        Item x = make(n);
    }
    @Override
    public static <K, V> Map<K, V> total(List<Item> a,
                                         int b) throws X {
        return new Foo(a) {
        };
    }
    abstract int size();
    enum Kind { A, B }
    record Pair(int a, int b) {}
}
interface Shape { double area(); }
`, `2 package shop
4 class Cart
6  method Cart
11  method total
16  method size
17  enum Kind
18  record Pair
20 interface Shape`},
		"a.rs": {`
pub(crate) struct S<'a> { x: &'a str }
impl<'a> fmt::Display for S<'a> {
    fn fmt(&self) -> R { "fn no()" }
}
impl S<'_> {
    pub const fn new() -> Self {}
}
macro_rules! my { () => {} }
pub static MAX: usize = 1;
pub async unsafe fn run() {}
`, `2 struct S
3 impl S
4  fn fmt
6 impl S
7  fn new
9 macro my
10 const MAX
11 fn run`},
		"a.kt":       {"data class A(val x: Int) {\n    companion object {\n        suspend fun make(): A = A(1)\n    }\n    fun String.twice() = this\n}\n", "1 class A\n3  fun make\n5  fun String.twice"},
		"a.rb":       {"module M\n  class A < B\n    def self.run?(x)\n    end\n=begin\n  def no\n=end\n  end\nend\n", "1 module M\n2  class A\n3   def self.run?"},
		"a.sh":       {"# f() {\nf() {\n  g x\n}\nfunction h {\n}\n", "2 function f\n5 function h"},
		"a.py":       {"\"\"\"\nclass No:\n\"\"\"\nclass A:\n    '''def no():\n    '''\n    @x\n    async def m(self): pass\n# def no(): pass\n", "4 class A\n8  def m"},
		"a.sql":      {"-- create table no (\nCREATE TABLE IF NOT EXISTS shop.cart (\n id int\n);\ncreate or replace function total() returns int\nselect function from type;\n", "2 create shop.cart\n5 create total"},
		"a.php":      {"<?php\nnamespace Shop;\nabstract class Cart {\n  public static function make($x) {\n  }\n}\n", "2 namespace Shop\n3 class Cart\n4  function make"},
		"a.lua":      {"local function a.b:c(x)\n--[[\nfunction no()\n]]\nend\nfunction d() end\n", "1 function a.b:c\n6 function d"},
		"a.swift":    {"public extension Cart {\n  mutating func add(_ x: Int) {\n  }\n  init?(x: Int) {\n  }\n}\n", "1 extension Cart\n2  func add\n4  method init"},
		"a.tf":       {"resource \"aws_x\" \"main\" {\n}\nvariable \"size\" {}\n", "1 block aws_x.main\n3 block size"},
		"a.proto":    {"message Cart {\n  message Item {}\n}\nservice Shop {\n  rpc Get(A) returns (B);\n}\n", "1 message Cart\n2  message Item\n4 service Shop\n5  rpc Get"},
		"a.hs":       {"module Main where\ndata T = A | B\nrun :: Int -> Int\nrun x = x\n", "1 module Main\n2 data T\n3 function run"},
		"Makefile":   {"CC := cc\n.PHONY: all\nall: a.o b.o\n\tcc x: y\na.o b.o: a.h\n", "2 target .PHONY\n3 target all\n5 target a.o b.o"},
		"a.yaml":     {"# no: x\nname: ci\non:\n  push: {}\n\"jobs\":\n", "2 key name\n3 key on\n5 key jobs"},
		"a.toml":     {"a = 1\n[model]\n[[mcp]]\n", "2 section model\n3 section mcp"},
		"a.txt":      {"class of service\n", ""},
		"a.json":     {"{\"type a\": 1}\nclass x\n", ""},
		"a.other":    {"class A\n\tdef m\nclassy x\ntype  T\n", "1 class A\n2  def m\n4 type T"},
		"endless.js": {"const a = /`/\nclass A {\n}\nfunction b() {}\n", "2 class A\n4 function b"},
	} {
		var got []string
		for _, s := range w.Outline(name, c.text) {
			got = append(got, fmt.Sprintf("%d %s%s %s", s.Line, strings.Repeat(" ", s.Depth), s.Kind, s.Name))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// BenchmarkOutline outlines a file of 5,000 lines in a language without a parser.
func BenchmarkOutline(b *testing.B) {
	w := New(nil, Options{})
	text := strings.Repeat("export class A {\n\trun(x: number) {\n\t\tconst y = call(x) // why\n\t\treturn `a${y}`\n\t}\n}\n", 5000/6)
	for b.Loop() {
		if len(w.Outline("a.ts", text)) != 2*(5000/6) {
			b.Fatal("not all was found")
		}
	}
}
