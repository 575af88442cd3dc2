# served: cc1plus
# g++ compiles what needs many of its headers, templates and exceptions; __has_include of what is not there.
prepare()
{
	mkdir -p empty-1 empty-2 empty-3
	cat >main.cc <<'C'
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
#if __has_include(<boost/nothing/at/all.hpp>) || __has_include(<no/such/header>)
#error found
#endif
int main(int argc, char **argv)
{
	std::vector<std::string> names(argv + 1, argv + argc);
	std::sort(names.begin(), names.end());
	for (auto &n : names)
		std::cout << n << ' ' << std::filesystem::exists(n) << '\n';
	try {
		std::filesystem::file_size("/none/of/these");
	} catch (const std::exception &e) {
		std::cout << e.what() << '\n';
		return 4;
	}
}
C
}
run()
{
	I="-I$PWD/empty-1 -isystem $PWD/empty-2 -iquote $PWD/empty-3"
	g++ -std=c++17 $I -O1 -c main.cc -o main.o && g++ main.o -o main
	sha256sum main.o main
	./main /usr "$PWD/none" /none /usr/none /bin/sh "$PWD/main.o" "$PWD/none"; echo "status $?"
	g++ -std=c++17 $I -MM main.cc
	echo '#include <no/such/header>' | g++ $I -x c++ -c - -o none.o; echo "status $?"
	g++ -std=c++17 $I -x c++-header main.cc -o pch.gch && echo made
}
"$1"
