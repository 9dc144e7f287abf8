package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// saveOutputs copies what the template wants of this container's own files to where the wait container finds it. What is on
// a volume of the user's, or not there, is left to the wait container to judge.
func saveOutputs(t *template) error {
	for _, parameter := range t.Outputs.Parameters {
		if err := t.save(parameter.ValueFrom.Path, "outputs/parameters", "", copyFile); err != nil {
			return err
		}
	}
	for _, artifact := range t.Outputs.Artifacts {
		if err := t.save(artifact.Path, "outputs/artifacts", ".tgz", writeArchive); err != nil {
			return err
		}
	}
	return nil
}

func (t *template) save(path, folder, suffix string, write func(path string, target io.Writer) error) error {
	if path == "" || t.isOnVolume(path) {
		return nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		say("no file to save at " + path)
		return nil
	}
	target := filepath.Join(runFolder, folder, path) + suffix
	err := os.MkdirAll(filepath.Dir(target), 0o777)
	file, other := os.Create(target)
	if err = first(err, other); err == nil {
		err = first(write(path, file), file.Close())
	}
	if err != nil {
		return fmt.Errorf("cannot save %s: %w", path, err)
	}
	return nil
}

// first gives the first error; those after it are of the same cause.
func first(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

func copyFile(path string, target io.Writer) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(target, file)
	return err
}

// writeArchive writes a file or folder as tar.gz; names begin with the path's own last part. Links stay links, and what is
// neither file, folder nor link has no content that could be kept.
func writeArchive(path string, target io.Writer) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return errors.New("it is neither a file nor a folder")
	}
	zipped := gzip.NewWriter(target)
	archive := tar.NewWriter(zipped)
	root, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	base := filepath.Base(filepath.Clean(path))
	err = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		return addEntry(archive, file, filepath.Join(base, relative), entry)
	})
	return first(err, archive.Close(), zipped.Close())
}

func addEntry(archive *tar.Writer, file, name string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	link, isLink := "", info.Mode()&fs.ModeSymlink != 0
	if isLink {
		link, err = os.Readlink(file)
	}
	if err != nil || !isLink && !info.Mode().IsRegular() && !info.IsDir() {
		return err
	}
	header, err := tar.FileInfoHeader(info, link)
	if err != nil {
		return err
	}
	header.Name = name
	if err := archive.WriteHeader(header); err != nil || !info.Mode().IsRegular() {
		return err
	}
	source, err := os.Open(file)
	if err != nil {
		return err
	}
	defer source.Close()
	// A file that grows while it is read is kept as long as it was.
	_, err = io.CopyN(archive, source, info.Size())
	return err
}
