# zsh's own questions: its menu, a key, a secret, a line that is edited.
PROMPT3='Pick a colour? '
select colour in red green blue; do break; done
read -k1 'sure?Sure (y/n)? '; echo
read -s 'secret?Secret? '
vared -p 'Your name? ' -c name
echo "GOT $colour $sure $secret $name"
