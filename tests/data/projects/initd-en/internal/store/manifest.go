package store

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"example.org/coldstore/internal/retention"
)

// Check compares every file of a snapshot with its manifest: lines of hash, blank, path.
func (l *Local) Check(snapshot retention.Snapshot) error {
	manifest, err := os.Open(filepath.Join(l.root, snapshot.Name+".manifest"))
	if err != nil {
		return err
	}
	defer manifest.Close()
	lines := bufio.NewScanner(manifest)
	for lines.Scan() {
		wanted, path, _ := strings.Cut(lines.Text(), " ")
		found, err := digest(filepath.Join(l.root, "data", snapshot.Name, path))
		if err != nil {
			return err
		}
		if found != wanted {
			return fmt.Errorf("%s differs from its manifest", path)
		}
	}
	return lines.Err()
}

func digest(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
