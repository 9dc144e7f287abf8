/**
 * The YAML documents of a text as texts of their own, empty ones left out. They are not read here: anyone who asked for them
 * tells what is wrong with one.
 */
export function splitDocuments(text: string): string[] {
  return text
    .split(/^---(?=\s|$)/m)
    .filter((part) => part.split('\n').some((line) => line.trim() !== '' && !line.trimStart().startsWith('#')));
}
