module example.org/coldstore

go 1.22
