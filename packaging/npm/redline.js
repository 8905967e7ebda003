#!/usr/bin/env node
// Starts Redline's program, which npm installed as an optional dependency for this platform,
// and ends as the program ends. Signals go on to the program, so that no server is left
// behind when an editor ends this process.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { isatty } = require("node:tty");
const { name, version, homepage, optionalDependencies } = require("../package.json");

const windows = process.platform === "win32";

function fail(message, status) {
  console.error(`${name}: ${message}`);
  process.exit(status);
}

function findProgram() {
  const platform = `${process.platform}-${process.arch}`;
  const dependency = `${name}-${platform}`;
  if (!(dependency in optionalDependencies)) {
    fail(`there is no program for ${platform}: build it from source as ${homepage} says.`, 1);
  }
  try {
    return require.resolve(`${dependency}/bin/redline${windows ? ".exe" : ""}`);
  } catch {
    fail(`the package ${dependency}@${version} with the program is missing: install ${name} again with --include=optional (--omit=optional, --no-optional or a lock file from another platform left it out).`, 1);
  }
}

const program = findProgram();

// A terminal sends Ctrl-C to the program too, and a second one would end it without waiting.
// On Windows every such event comes from a terminal.
const sharesTerminal = windows || [0, 1, 2].some((fd) => isatty(fd));
const signals = windows ? ["SIGINT"] : ["SIGINT", "SIGTERM", "SIGHUP"];

let child;
for (const signal of signals) {
  process.on(signal, () => {
    if (signal !== "SIGINT" || !sharesTerminal) child.kill(signal);
  });
}

child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(`${program} cannot be started: ${error.message}.`, 126));
child.on("exit", (status, signal) => {
  if (signal === null) process.exit(status);
  for (const handled of signals) process.removeAllListeners(handled);
  process.exitCode = 128 + constants.signals[signal]; // if this process ignores the signal
  process.kill(process.pid, signal);
});
