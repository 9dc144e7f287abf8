import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { type Selector, transform } from 'lightningcss';
import { defineConfig, type Plugin } from 'vite';
import { parse } from 'yaml';

const definition = join(import.meta.dirname, '../../../api/crds/applications.yaml');
const diagnoses = join(import.meta.dirname, '../../../docs/diagnoses.md');

export default defineConfig({
  base: './',
  plugins: [react(), applicationSchema(), diagnosisCatalogue(), withoutUnusedStyles()],
  build: {
    target: 'es2023',
    chunkSizeWarningLimit: 4000,
    sourcemap: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // what everybody begins with is one file: each file of its own costs a request and compresses worse
          groups: [{ name: 'first', tags: ['$initial'] }],
        },
      },
    },
  },
  server: { proxy: { '/api': 'http://localhost:8080' } },
});

/** `virtual:application-schema`: the schema of Applications, of their CustomResourceDefinition. */
function applicationSchema(): Plugin {
  const name = 'virtual:application-schema';
  return {
    name: 'application-schema',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load(id) {
      if (id !== `\0${name}`) return undefined;
      const { spec } = parse(readFileSync(definition, 'utf8'));
      return `export const applicationSchema = JSON.parse(${JSON.stringify(JSON.stringify(spec.versions[0].schema.openAPIV3Schema))})`;
    },
  };
}

/** `virtual:diagnoses`: the documentation of all diagnoses, by code: the sentence, then example, evidence and remedies as they are written there. */
function diagnosisCatalogue(): Plugin {
  const name = 'virtual:diagnoses';
  return {
    name: 'diagnosis-catalogue',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load(id) {
      if (id !== `\0${name}`) return undefined;
      const [, ...sections] = readFileSync(diagnoses, 'utf8').split(/^## /m);
      const entries = sections.map((section) => {
        const [code = '', ...rest] = section.split('\n');
        return { code, text: rest.join('\n').trim() };
      });
      return `export const diagnoses = JSON.parse(${JSON.stringify(JSON.stringify(entries))})`;
    },
  };
}

/** Drops rules for classes of Mantine that no script names: most of its components are not used here. */
function withoutUnusedStyles(): Plugin {
  const className = /m_[0-9a-f]{5,8}/g;
  return {
    name: 'without-unused-styles',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const files = Object.values(bundle);
      const used = new Set(files.flatMap((file) => (file.type === 'chunk' ? (file.code.match(className) ?? []) : [])));
      for (const file of files) {
        if (file.type !== 'asset' || !file.fileName.endsWith('.css')) continue;
        file.source = transform({
          filename: file.fileName,
          code: Buffer.from(file.source),
          minify: true,
          visitor: { Selector: withoutUnused(used) },
        }).code;
      }
    },
  };
}

/** Gives no selector for one with a class that is not used; undefined leaves a selector as it is. */
const withoutUnused = (used: ReadonlySet<string>) => (parts: Selector) =>
  parts.some((part) => part.type === 'class' && /^m_[0-9a-f]{5,8}$/.test(part.name) && !used.has(part.name))
    ? []
    : undefined;
