// Makes src/transport/page/assets/vendor/preact.mjs: Preact, its hooks and htm in one file, out of the packages that the
// lock file pins, so that a browser fetches one file instead of three. Nothing is compiled: each library stands in a
// scope of its own, as its package publishes it. The charts, which one page alone needs, are files of their own.
// `node vendor.mjs` writes them; `node vendor.mjs --check` compares.

import { readFile, writeFile } from 'node:fs/promises';

const FOLDER = new URL('../../src/transport/page/assets/vendor/', import.meta.url);
const read = (path) => readFile(new URL(`node_modules/${path}`, import.meta.url), 'utf8');

/** `export{a as b,…}` at the end becomes `return{b:a,…}`. */
const returns = (text) =>
  text
    .replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '')
    .replace(
      /export\s*\{([^}]*)\};?\s*$/,
      (_, names) =>
        `return{${names
          .split(',')
          .map((name) => name.trim().split(/\s+as\s+/))
          .map(([own, as = own]) => `${as}:${own}`)
          .join(',')}};`,
    )
    .replace(/export default\s+([^;]+);?\s*$/, 'return $1;');

const preact = returns(await read('preact/dist/preact.mjs'));
const hooks = returns(
  (await read('preact/hooks/dist/hooks.mjs')).replace(
    /import\s*\{\s*options as (\w+)\s*\}\s*from\s*"preact";/,
    'var $1=preact.options;',
  ),
);
const htm = returns(await read('htm/dist/htm.module.js')).replace(/export default\s*function/, 'return function');
const text = `// Preact, its hooks and htm, each in a scope of its own; made by tests/page/vendor.mjs.
const preact = (() => {${preact}})();
const hooks = (() => {${hooks}})();
export const htm = (() => {${htm}})();
export const { createElement, render } = preact;
export const { useEffect, useRef, useState } = hooks;
`;
for (const part of [preact, hooks, htm])
  if (!part.includes('return') || /\b(import|export)\b\s*[{"']/.test(part))
    throw new Error('a library is written in another way than this script knows');

const charts = (await read('uplot/dist/uPlot.iife.min.js')).trimEnd();
if (!/\bvar uPlot=/.test(charts)) throw new Error('uPlot is written in another way than this script knows');

const made = {
  'preact.mjs': text,
  'uplot.mjs': `${charts}\nexport default uPlot;\n`,
  'uplot.css': await read('uplot/dist/uPlot.min.css'),
};
for (const [name, whole] of Object.entries(made)) {
  const path = new URL(name, FOLDER);
  if (!process.argv.includes('--check')) await writeFile(path, whole);
  else if ((await readFile(path, 'utf8')) !== whole)
    throw new Error(`vendor/${name} is not what \`node vendor.mjs\` makes`);
}
