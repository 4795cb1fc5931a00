# Checks consistency: each task has a file, a line and, for each tenth task, an entry in the tally.
files=$(ls files | sed -n 's/\.txt$//p' | sort)
lines=$(sed -n 's/^done //p' shared.txt | sort)
tally=$(sed -n 's/^tally://p' shared.txt | tr ' ' '\n' | sed '/^$/d' | sort)
wanted=$(echo "$files" | awk '$1 && $1 % 10 == 0')
[ "$files" = "$lines" ] || { echo 'files and lines differ'; exit 1; }
[ "$tally" = "$wanted" ] || { echo "the tally is $tally"; exit 1; }
! grep -q '^<<<<<<<\|^>>>>>>>' shared.txt
