echo "GOT $(printf 'red\ngreen\nblue\ncyan\n' | fzf)"
