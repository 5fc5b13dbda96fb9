/*! This page draws with Vega, https://vega.github.io, which holds parts of D3 and Esprima.
 *
 * Vega: Copyright (c) 2015-2021, University of Washington Interactive Data Lab. BSD-3-Clause.
 * D3: Copyright 2010-2021 Mike Bostock. BSD-3-Clause and ISC.
 * Esprima: Copyright 2012-2013 Ariya Hidayat, Thaddee Tyl, Mathias Bynens, Joost-Wim Boekesteijn,
 * Kris Kowal, Yusuke Suzuki, Arpad Borsos. BSD-2-Clause.
 *
 * Redistribution and use in source and binary forms, with or without modification, are permitted
 * provided that the following conditions are met:
 * 1. Redistributions of source code must retain the above copyright notice, this list of conditions
 *    and the following disclaimer.
 * 2. Redistributions in binary form must reproduce the above copyright notice, this list of
 *    conditions and the following disclaimer in the documentation and/or other materials provided
 *    with the distribution.
 * 3. (BSD-3-Clause) Neither the name of the copyright holder nor the names of its contributors may
 *    be used to endorse or promote products derived from this software without specific prior
 *    written permission.
 *
 * THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR
 * IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND
 * FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR
 * CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
 * DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE,
 * DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER
 * IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT
 * OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
 */
// The modules of Vega follow, each a function of CommonJS.
const modules = {};
// One file is called otherwise than the module in it.
const file_of_module = { "vega-selections": "vega-selection" };

function require_module(name) {
  const found = modules[file_of_module[name] ?? name];
  if (found === undefined) {
    throw new Error(`the page lacks the module ${name}`);
  }
  return found;
}

function define_module(name, body) {
  const module = { exports: {} };
  body(module.exports, module, require_module);
  modules[name] = module.exports;
}

