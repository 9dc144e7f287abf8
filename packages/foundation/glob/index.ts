export { compileGlob, isGlob, type Matcher, matchNegatable } from './glob.ts';
export { listedProblem, matchListed } from './list.ts';
export { matchPath } from './path.ts';
export { touchesPaths, watchedPaths } from './watched-paths.ts';
