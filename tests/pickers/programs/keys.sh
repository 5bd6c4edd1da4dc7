# Questions of one key, one after the other: a key too many would answer the next.
read -rsn1 -p 'Sure (y/n)? ' sure; echo
read -rsn1 -p 'Really (y/n)? ' really; echo
IFS= read -rsn1 -p 'Press any key' key; echo
echo "GOT $sure $really [$key]"
