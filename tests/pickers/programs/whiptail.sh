colour=$(whiptail --title Colours --menu "Pick a colour" 15 40 4 r red g green b blue 3>&1 1>&2 2>&3)
only=$(whiptail --menu "Pick the only one" 15 40 4 o only 3>&1 1>&2 2>&3)
sure=no
whiptail --yesno "Sure?" 8 40 && sure=yes
name=$(whiptail --inputbox "Your name?" 8 40 3>&1 1>&2 2>&3)
echo "GOT $colour $only $sure $name"
