// Syntax colour for the lines of a change: comments, strings, numbers and keywords, by the ending of the file's name.
// It gives words and their kinds and no markup, so nothing of a change can become an element.

/**
 * Each language: its endings; what begins a comment to the end of the line; what a longer comment stands between; what
 * strings stand between; and its keywords. A `#` begins a comment only where a word could begin.
 */
const LANGUAGES = `
rs | // | /* */ | " | as async await break const continue crate dyn else enum extern false fn for if impl in let loop
match mod move mut pub ref return self Self static struct super trait true type unsafe use where while

js mjs cjs jsx ts mts cts tsx vue | // | /* */ | "'\` | as async await break case catch class const continue default
delete do else enum export extends false finally for from function if implements import in instanceof interface let
new null of private public return static super switch this throw true try type typeof undefined var void while yield

py pyi | # | """ """ | "' | and as assert async await break class continue def del elif else except False finally for
from global if import in is lambda None nonlocal not or pass raise return self True try while with yield

go c h cc cpp hpp cs java kt kts scala swift php dart proto zig | // | /* */ | "\` | abstract auto bool boolean break
case catch chan char class const continue default defer do double else enum extends false final float for func fun
function go guard if implements import in int interface internal let long map namespace new nil null nullptr override
package private protected public range return select self short signed sizeof static string struct super switch
template this throw throws true try type typedef union unsigned use using val var virtual void volatile when while

sh bash zsh rb pl yaml yml toml Dockerfile Makefile justfile | # | | "' | begin case class def do done elif else elsif
end esac export false fi for function if in local module nil null require return self set then true unless until while
yield

sql | -- | /* */ | ' | add all alter and as asc begin between by case commit constraint create default delete desc
distinct drop else end exists false foreign from group having if in index inner insert into is join key left like
limit not null on or order outer primary references select set table then true union unique update values view when
where with

json jsonc json5 | // | /* */ | " | true false null

css scss less | | /* */ | "' | important media import supports keyframes layer container

html htm xml svg | | <!-- --> | |
`
  .trim()
  .split('\n\n')
  .map((row) => row.split('|').map((field) => field.trim()));

/** Longer lines, in characters, and larger files stay plain. */
const LINE = 2000;
const FILE = 200000;

const plainly = (/** @type {string} */ words) => words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** @param {string} path */
function language(path) {
  const ending = path.split(/[./]/).at(-1) || '';
  const [row] = LANGUAGES.filter(([endings]) => endings.split(' ').includes(ending));
  if (!row) return null;
  const [, rest, long, quotes, words] = row;
  const [open, close = ''] = long.split(' ');
  const comments = [
    open && `${plainly(open)}.*?(?:${plainly(close)}|$)`,
    rest && `${rest === '#' ? '(?<!\\S)#' : plainly(rest)}.*`,
  ].filter(Boolean);
  const strings = [...quotes].map((q) => `${q}(?:\\\\.|[^\\\\${q}])*(?:${q}|$)`);
  const kinds = [
    ['comment', comments.join('|')],
    ['string', [...strings, ...(quotes.includes("'") ? [] : ["'(?:\\\\.[^']*|[^'\\\\])'"])].join('|')],
    ['number', '\\b\\d[\\w.]*'],
    ['keyword', words && `\\b(?:${words.split(/\s+/).join('|')})\\b`],
  ].filter(([, pattern]) => pattern);
  const pattern = kinds.map(([kind, pattern]) => `(?<${kind}>${pattern})`).join('|');
  return { pattern: new RegExp(pattern, ending === 'sql' ? 'gi' : 'g'), open, close };
}

/**
 * The parts of each line: its kind, if it has one, and its text. A comment that is open at the end of a line goes on in
 * the next of the same side, until the hunk ends.
 * @param {{path: string, rows: {kind: string, raw: string}[]}} file
 * @returns {[string, string][][] | null} none where the file stays plain
 */
export function coloured({ path, rows }) {
  const of = language(path);
  if (!of || rows.reduce((size, { raw }) => size + raw.length, 0) > FILE) return null;
  const inside = { old: false, new: false };
  return rows.map(({ kind, raw }) => {
    if (kind === 'hunk') inside.old = inside.new = false;
    if (kind === 'hunk' || raw.length > LINE) return [['', raw]];
    const side = kind === 'removed' ? 'old' : 'new';
    const parts = /** @type {[string, string][]} */ ([['', raw.slice(0, 1)]]);
    let at = 1;
    if (inside[side]) {
      const end = raw.indexOf(of.close, 1);
      at = end < 0 ? raw.length : end + of.close.length;
      inside[side] = end < 0;
      parts.push(['comment', raw.slice(1, at)]);
    }
    const line = raw.slice(at);
    let done = 0;
    for (const found of line.matchAll(of.pattern)) {
      const [kind = '', words = ''] = Object.entries(found.groups || {}).find(([, words]) => words !== undefined) || [];
      if (found.index > done) parts.push(['', line.slice(done, found.index)]);
      parts.push([kind, words]);
      done = found.index + words.length;
      const long = of.open && kind === 'comment' && words.startsWith(of.open);
      if (long && (words.length < of.open.length + of.close.length || !words.endsWith(of.close))) inside[side] = true;
    }
    if (done < line.length) parts.push(['', line.slice(done)]);
    if (kind === 'same') inside.old = inside.new;
    return parts;
  });
}
