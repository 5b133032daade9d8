<#
.SYNOPSIS
Builds the Windows package of Contenox Desktop, or checks one that was built.

.DESCRIPTION
Needs Python 3.13 from python.org and Visual Studio Build Tools, and nothing set up before. This
script only finds a Python and hands over; the work is done by packaging\contenox_build, which says
in one sentence what is missing. Runs under Windows PowerShell 5.1 and PowerShell 7.

.PARAMETER Verify
A package folder, or its zip, to check again instead of building.

.PARAMETER Output
Where the finished files go; "dist" beside this script by default.

.PARAMETER Sign
Signs both programs, and what else has no signature, with signtool.

.PARAMETER Certificate
The SHA-1 thumbprint of the certificate to sign with; the best one of the store if absent.

.PARAMETER SkipSelfTest
Leaves out running the finished program.

.EXAMPLE
.\build_windows.ps1

.EXAMPLE
.\build_windows.ps1 -Verify dist\contenox-0.1.0-windows-x64
#>
[CmdletBinding()]
param(
    [string] $Verify = '',
    [string] $Output = '',
    [switch] $Sign,
    [string] $Certificate = '',
    [switch] $SkipSelfTest
)

Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

function Test-Python {
    param([string] $Program, [string[]] $Options)
    if (-not (Get-Command -Name $Program -CommandType Application -ErrorAction SilentlyContinue)) {
        return $false
    }
    # What a program writes to its error stream is no error of this script.
    $ErrorActionPreference = 'Continue'
    $found = & $Program @Options '-I' '-c' 'import sys; print(sys.version_info[:2] == (3, 13))' 2>$null
    return ("$found".Trim() -eq 'True')
}

$python = ''
$options = @()
foreach ($candidate in @(@('py.exe', '-3.13'), @('python3.13.exe'), @('python.exe'))) {
    $rest = @($candidate | Select-Object -Skip 1)
    if (Test-Python -Program $candidate[0] -Options $rest) {
        $python = $candidate[0]
        $options = $rest
        break
    }
}
if ($python -eq '') {
    Write-Host 'This build needs Python 3.13; install it with: winget install Python.Python.3.13'
    exit 1
}

$arguments = @('-I', (Join-Path $PSScriptRoot 'packaging\contenox_build'))
if ($Verify -ne '') {
    $arguments += @('verify', $Verify, '--release')
} else {
    $arguments += @('build')
    if ($Output -ne '') { $arguments += @('--output', $Output) }
    if ($Sign) { $arguments += @('--sign') }
    if ($Certificate -ne '') { $arguments += @('--certificate', $Certificate) }
    if ($SkipSelfTest) { $arguments += @('--skip-self-test') }
}
$ErrorActionPreference = 'Continue'
& $python @options @arguments
exit $LASTEXITCODE
