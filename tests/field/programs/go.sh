# served: cc1|as|ld|collect2|bash
# unreached: main|static|with-cgo|go: Go makes its own system calls; what it runs, and cgo's C, is answered
# normalise: s/[0-9]+\.[0-9]+s/SECONDS/g
# go builds, tests and runs programs, with and without cgo, and says what is not there.
prepare()
{
	mkdir -p pkg cgo
	printf 'module field\n\ngo 1.15\n' >go.mod
	printf 'package pkg\n\nimport "os"\n\nfunc There(p string) bool { _, err := os.Stat(p); return err == nil }\n' >pkg/pkg.go
	printf 'package pkg\n\nimport "testing"\n\nfunc TestThere(t *testing.T) {\n\tif There("/none") || !There("/") {\n\t\tt.Fatal()\n\t}\n}\n' >pkg/pkg_test.go
	cat >main.go <<'G'
package main

import (
	"field/pkg"
	"fmt"
	"os"
	"os/exec"
)

func main() {
	for i := 0; i < 3; i++ {
		p := fmt.Sprint(os.Args[1], "/none-", i)
		fmt.Println(pkg.There(p))
		os.WriteFile(p, nil, 0600)
		fmt.Println(pkg.There(p))
		os.Remove(p)
		_, err := os.Open(os.Args[1] + "/none")
		fmt.Println(err)
	}
	out, err := exec.Command("sh", "-c", "[ -e /none ] || echo none; exit 3").CombinedOutput()
	fmt.Println(string(out), err)
	_, err = exec.LookPath("no-such-command")
	fmt.Println(err, exec.Command(os.Args[1]+"/none").Run())
	os.Exit(4)
}
G
	cat >cgo/main.go <<'G'
package main

// #include <unistd.h>
// static int there(const char *p) { return access(p, F_OK); }
import "C"
import "fmt"

func main() {
	for i := 0; i < 5; i++ {
		n, err := C.there(C.CString("/none"))
		fmt.Println(n, err)
	}
}
G
	# The standard library, once; what is compared is made of it.
	GOCACHE=$PWD/cache GOFLAGS=-mod=mod GOPROXY=off go build -o /dev/null ./... 
}
run()
{
	export GOCACHE=$PWD/cache GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local
	go build -o main . && ./main "$PWD"; echo "status $?"
	go vet ./...; go test ./pkg; echo "status $?"
	go build -o with-cgo ./cgo && ./with-cgo; echo "status $?"
	CGO_ENABLED=0 go build -o static . && ./static "$PWD"; echo "status $?"
	go build ./none; echo "status $?"; go run none.go; echo "status $?"
	go list ./...; gofmt -l .
}
"$1"
