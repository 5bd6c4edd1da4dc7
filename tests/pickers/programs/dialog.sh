colour=$(dialog --menu "Pick a colour" 15 40 3 r red g green b blue c cyan 3>&1 1>&2 2>&3)
only=$(dialog --menu "Pick the only one" 15 40 4 o only 3>&1 1>&2 2>&3)
sure=no
dialog --yesno "Sure?" 8 40 && sure=yes
name=$(dialog --inputbox "Your name?" 8 40 3>&1 1>&2 2>&3)
clear
echo "GOT $colour $only $sure $name"
