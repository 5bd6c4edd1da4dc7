PS3="Pick a colour: "
select colour in red green blue; do break; done
read -p "Your name? " name
read -s -p "Secret? " secret
echo
read -n 1 -p "Sure? (y/n) " sure
echo
echo "GOT $colour $name $secret $sure"
