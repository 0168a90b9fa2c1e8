import {composeMail} from './dist/core/compose.js';
import {simpleParser} from 'mailparser';
const subject='Ünïcode — long '.repeat(20);
const raw=await composeMail({from:{name:'',address:'a@b.c'},to:['x@y.z'],cc:[],subject,text:'t',attachments:[],messageId:'<a@b>',date:new Date()});
const p=await simpleParser(raw);
let i=0; while(p.subject[i]===subject[i])i++; console.log(i, JSON.stringify(p.subject.slice(i-20,i+20)), JSON.stringify(subject.slice(i-20,i+20)), p.subject.length, subject.length);
console.log(raw.toString().slice(0,900));
