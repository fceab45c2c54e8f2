// Last: everything that the address asks for ---------------------------------------------------------
addEventListener("hashchange", applyAddress);
applyAddress();
