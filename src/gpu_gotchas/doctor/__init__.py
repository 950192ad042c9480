"""What will bite a machine, before it does: facts about it in, one assessment for each record out.

`facts` holds what is known, `readers` find it in files, `command` in a command line, `model_folder` in
a model; `situation` puts that together; `assess` decides; `formats` say it to programs. Nothing here prints.
"""
