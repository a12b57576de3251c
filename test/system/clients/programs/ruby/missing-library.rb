require 'shop/printer/thermal'
