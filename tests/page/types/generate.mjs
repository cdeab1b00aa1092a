// Writes types/api.d.ts: the shapes of the API as the hub that is tested describes them at /api/v1/openapi.json.
// It is written anew by each run and not committed, so it cannot differ from the hub; `tsc` then holds the page to it.

import { writeFile } from 'node:fs/promises';
import { closeBrowser, hub } from '../support.mjs';

const NAME = /^[A-Za-z_$][\w$]*$/;

/** The TypeScript type that a JSON schema describes. @param {any} schema @returns {string} */
export function typeOf(schema) {
  if (schema === true || schema === undefined) return 'unknown';
  if (schema === false) return 'never';
  if (schema.$ref) return schema.$ref.split('/').pop();
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const several = schema.oneOf || schema.anyOf;
  if (several) {
    const own = schema.properties ? `${object(schema)} & ` : '';
    return `${own}(${several.map(typeOf).join(' | ')})`;
  }
  if (schema.allOf) return schema.allOf.map(typeOf).join(' & ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return `Array<${typeOf(schema.items)}>`;
    case 'object':
      return object(schema);
    default:
      return schema.properties ? object(schema) : 'unknown';
  }
}

function object(schema) {
  const required = new Set(schema.required || []);
  const fields = Object.entries(schema.properties || {}).map(
    ([name, of]) => `${NAME.test(name) ? name : JSON.stringify(name)}${required.has(name) ? '' : '?'}: ${typeOf(of)};`,
  );
  if (fields.length === 0)
    return `Record<string, ${schema.additionalProperties ? typeOf(schema.additionalProperties) : 'unknown'}>`;
  return `{ ${fields.join(' ')} }`;
}

const own = await hub();
try {
  const { components } = await own.api('GET', '/api/v1/openapi.json');
  const types = Object.entries(components.schemas).map(([name, schema]) => `  type ${name} = ${typeOf(schema)};`);
  await writeFile(new URL('api.d.ts', import.meta.url), `declare namespace api {\n${types.join('\n')}\n}\n`);
  console.log(`types of the API: ${types.length}`);
} finally {
  await closeBrowser();
  await own.end();
}
