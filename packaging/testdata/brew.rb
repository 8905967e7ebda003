# A stand-in for the part of Homebrew that Redline's formula uses. It evaluates a formula as
# one system and processor and prints as JSON what it says; it runs the formula's install and
# test, and its livecheck on a list of tags.
#
#   ruby brew.rb facts FORMULA SYSTEM PROCESSOR
#   ruby brew.rb install FORMULA SYSTEM PROCESSOR PREFIX      (in the unpacked archive)
#   ruby brew.rb test FORMULA SYSTEM PROCESSOR PREFIX
#   ruby brew.rb livecheck FORMULA SYSTEM PROCESSOR TAG…

require "fileutils"
require "json"
require "open3"
require "pathname"

# Homebrew installs by this method of a path.
class Pathname
  def install(*sources)
    renames = sources.flatten.flat_map { |s| s.is_a?(Hash) ? s.to_a : [[s, File.basename(s)]] }
    raise ArgumentError, "nothing to install into #{self}" if renames.empty?

    mkpath
    renames.each { |from, to| FileUtils.mv(from, self + to) }
  end
end

# What the block livecheck says.
class Livecheck
  def url(value = nil) = @url = value || @url

  def regex(value = nil) = @regex = value || @regex

  def newest(tags)
    found = tags.filter_map { |tag| tag[regex, 1] }
    found.max_by { |version| Gem::Version.new(version) }
  end
end

# A formula defines its class below this one.
class Formula
  class << self
    attr_accessor :system, :processor
    attr_reader :facts, :test_block, :livecheck_block

    def inherited(formula)
      super
      formula.instance_variable_set(:@facts, {})
    end

    [:desc, :homepage, :url, :version, :license, :sha256].each do |name|
      define_method(name) do |value|
        raise ArgumentError, "#{name} is given twice" if @facts.key?(name)

        @facts[name] = value
      end
    end

    { on_macos: [:system, "darwin"], on_linux: [:system, "linux"],
      on_arm: [:processor, "arm64"], on_intel: [:processor, "amd64"] }.each do |name, (of, value)|
      define_method(name) { |&block| class_eval(&block) if Formula.public_send(of) == value }
    end

    def livecheck(&block) = @livecheck_block = block

    def test(&block) = @test_block = block
  end

  attr_reader :prefix

  def initialize(prefix)
    @prefix = Pathname(prefix)
  end

  def version = self.class.facts.fetch(:version)

  FOLDERS = {
    bin: "bin",
    doc: "share/doc/redline",
    man1: "share/man/man1",
    bash_completion: "etc/bash_completion.d",
    zsh_completion: "share/zsh/site-functions",
    fish_completion: "share/fish/vendor_completions.d"
  }.freeze
  FOLDERS.each { |name, folder| define_method(name) { prefix + folder } }

  def assert_match(expected, text)
    found = expected.is_a?(Regexp) ? expected.match?(text) : text.include?(expected)
    raise "#{expected} is not in:\n#{text}" unless found
  end

  def shell_output(command)
    out, status = Open3.capture2(command)
    raise "#{command}: #{status}\n#{out}" unless status.success?

    out
  end
end

command, path, system, processor, *rest = ARGV
Formula.system = system
Formula.processor = processor
load path
formula = ObjectSpace.each_object(Class).find { |c| c < Formula }
case command
when "facts"
  puts JSON.generate(formula.facts)
when "install"
  formula.new(rest.first).install
when "test"
  formula.new(rest.first).instance_eval(&formula.test_block)
when "livecheck"
  check = Livecheck.new
  check.instance_eval(&formula.livecheck_block)
  puts JSON.generate({ url: check.url, newest: check.newest(rest) })
end
