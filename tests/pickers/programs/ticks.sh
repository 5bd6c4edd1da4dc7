items="red R off green G off blue B off"
first=$(whiptail --checklist "Pick colours" 15 40 4 $items 3>&1 1>&2 2>&3)
second=$(dialog --checklist "Pick colours" 15 40 4 $items 3>&1 1>&2 2>&3)
clear
echo "GOT $first $second"
