import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { type Diagnostic, linter, lintGutter } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { parseDocument } from 'yaml';
import { type Schema, schemaMistakes } from '../../objects/schema.ts';
import { yamlLook } from './editor.ts';
import { completionsOf } from './schema-completion.ts';

interface YamlEditorProps {
  /** What it begins with; what comes later under another `name` begins anew. */
  text: string;
  name: string;
  change: (text: string) => void;
  label: string;
  /** Says which fields there are: they are offered, and others are marked. */
  schema?: Schema | undefined;
}

/** YAML to be written: mistakes are marked where they are, keys as in other editors; Escape and then Tab leaves it. */
export function YamlEditor({ text, name, change, label, schema }: YamlEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const dark = useComputedColorScheme('light') === 'dark';
  const latest = useRef({ change, text, schema });
  latest.current = { change, text, schema };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another name is another document
  useEffect(() => {
    if (!host.current) return undefined;
    const view = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: latest.current.text,
        extensions: [
          ...yamlLook(dark),
          history(),
          search({ top: true }),
          autocompletion({
            override: [(context) => (latest.current.schema ? completionsOf(latest.current.schema, context) : null)],
          }),
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
          lintGutter(),
          linter(({ state }) => mistakesOf(state.doc.toString(), latest.current.schema)),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.change(update.state.doc.toString());
          }),
        ],
      }),
    });
    return () => view.destroy();
  }, [name, dark, label]);
  return <div ref={host} className="panel yaml-editor" />;
}

function mistakesOf(text: string, schema: Schema | undefined): Diagnostic[] {
  const unfit = schema ? schemaMistakes(text, schema) : [];
  const broken = parseDocument(text).errors.map(({ pos: [from, to], message }) => ({
    from,
    to,
    message: message.split('\n')[0] ?? message,
  }));
  return [...broken, ...unfit].map(({ from, to, message }) => ({
    from: Math.min(from, text.length),
    to: Math.min(Math.max(to, from), text.length),
    severity: 'error',
    message,
  }));
}
