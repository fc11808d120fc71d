import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = join(__dirname, '../src');

interface Import {
  /** What is imported: a file of `src/` without its ending, or a module as written. */
  readonly target: string;
  /** The compiler drops it: no code of the target runs. */
  readonly typeOnly: boolean;
}

/** The imports of a source file, re-exports, `import()` and `require()` included. */
function importsOf(file: string, text: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean): void => {
    const written =
      specifier !== undefined && ts.isStringLiteralLike(specifier) ? specifier.text : '(computed)';
    const target = written.startsWith('.')
      ? posix.join(posix.dirname(file), written).replace(/\.m?js$/, '')
      : written;
    found.push({ target, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node.importClause));
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier)
      add(node.moduleSpecifier, isTypeOnly(node));
    else if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference)) {
      add(node.moduleReference.expression, node.isTypeOnly);
    } else if (ts.isImportTypeNode(node)) {
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true);
    } else if (ts.isCallExpression(node)) {
      const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword;
      const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require';
      if (isImport || isRequire) add(node.arguments[0], false);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return found;
}

function isTypeOnly(clause: ts.ImportClause | ts.ExportDeclaration | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.isTypeOnly) return true;
  const names = ts.isImportClause(clause) ? clause.namedBindings : clause.exportClause;
  if (ts.isImportClause(clause) && clause.name !== undefined) return false;
  if (names === undefined || !(ts.isNamedImports(names) || ts.isNamedExports(names))) return false;
  return names.elements.length > 0 && names.elements.every((element) => element.isTypeOnly);
}

const LAYERS = ['protocol', 'wire', 'calls', 'telemetry'] as const;
type Layer = (typeof LAYERS)[number];

const isOwnFile = (target: string): boolean => LAYERS.some((layer) => target.startsWith(`${layer}/`));
const within = (layer: Layer, target: string): boolean => target.startsWith(`${layer}/`);
const isOpenTelemetry = (target: string): boolean => target.startsWith('@opentelemetry/');

interface Rule {
  readonly rule: string;
  readonly layer: Layer;
  readonly allows: (imported: Import) => boolean;
}

const RULES: readonly Rule[] = [
  {
    rule: 'protocol/ imports only itself: it can be used alone',
    layer: 'protocol',
    allows: ({ target }) => within('protocol', target),
  },
  {
    rule: 'wire/ knows neither calls nor telemetry nor OpenTelemetry',
    layer: 'wire',
    allows: ({ target }) =>
      !within('calls', target) && !within('telemetry', target) && !isOpenTelemetry(target),
  },
  {
    // wire/endpoints looks at URLs alone; every wire would name an endpoint so.
    rule: 'calls/ knows of the wire only its types and what an endpoint is: another wire could take its place',
    layer: 'calls',
    allows: ({ target, typeOnly }) => !within('wire', target) || typeOnly || target === 'wire/endpoints',
  },
  {
    rule: 'calls/ knows neither telemetry nor OpenTelemetry nor undici',
    layer: 'calls',
    allows: ({ target }) => !within('telemetry', target) && !isOpenTelemetry(target) && target !== 'undici',
  },
  {
    rule: 'telemetry/ knows no bytes, and of calls only their types',
    layer: 'telemetry',
    allows: ({ target, typeOnly }) => !within('wire', target) && (!within('calls', target) || typeOnly),
  },
  ...LAYERS.map(
    (layer): Rule => ({
      rule: `${layer}/ imports nothing of the wiring above the layers but types`,
      layer,
      allows: ({ target, typeOnly }) =>
        isOwnFile(target) || typeOnly || target === 'version' || !SOURCES.some(({ name }) => name === target),
    }),
  ),
];

const SOURCES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .map((path) => path.split(sep).join('/'))
  .filter((path) => /\.m?ts$/.test(path))
  .map((path) => ({
    name: path.replace(/\.m?ts$/, ''),
    path,
    imports: importsOf(path, readFileSync(join(ROOT, path), 'utf8')),
  }));

describe('the layers of src/', () => {
  it.each(LAYERS)('%s/ has files, which import something', (layer) => {
    const files = SOURCES.filter(({ path }) => within(layer, path));
    expect(files.length).toBeGreaterThan(1);
    expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThan(1);
  });

  it.each(RULES.map((rule) => [rule.rule, rule] as const))('%s', (_, { layer, allows }) => {
    const broken = SOURCES.filter(({ path }) => within(layer, path)).flatMap(({ path, imports }) =>
      imports.filter((imported) => !allows(imported)).map(({ target }) => `${path} imports ${target}`),
    );
    expect(broken).toStrictEqual([]);
  });
});

describe('importsOf', () => {
  it.each([
    ["import { a } from './a.js';", { target: 'calls/a', typeOnly: false }],
    ["import '../wire/wire.js';", { target: 'wire/wire', typeOnly: false }],
    ["import type { A } from '../wire/wire.js';", { target: 'wire/wire', typeOnly: true }],
    ["import { type A, type B } from '../wire/wire.js';", { target: 'wire/wire', typeOnly: true }],
    ["import { type A, b } from '../wire/wire.js';", { target: 'wire/wire', typeOnly: false }],
    ["import d, { type A } from 'undici';", { target: 'undici', typeOnly: false }],
    ["import * as zlib from 'node:zlib';", { target: 'node:zlib', typeOnly: false }],
    ["export * from '../wire/wire.js';", { target: 'wire/wire', typeOnly: false }],
    ["export type { A } from '../wire/wire.js';", { target: 'wire/wire', typeOnly: true }],
    ["type A = import('../wire/wire.js').A;", { target: 'wire/wire', typeOnly: true }],
    ["const a = await import('../telemetry/a.js');", { target: 'telemetry/a', typeOnly: false }],
    ["const a = require('undici');", { target: 'undici', typeOnly: false }],
    ["import a = require('undici');", { target: 'undici', typeOnly: false }],
    ['const a = await import(name);', { target: '(computed)', typeOnly: false }],
  ])('sees what %s imports', (text, expected) => {
    expect(importsOf('calls/file.ts', text)).toStrictEqual([expected]);
  });
});
