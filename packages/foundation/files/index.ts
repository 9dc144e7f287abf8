export { privateFile, privateFolder, writePrivate } from './private.ts';
