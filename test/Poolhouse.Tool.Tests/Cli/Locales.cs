using Poolhouse.Tool.Cli;

namespace Poolhouse.Tool.Tests.Cli;

/// <summary>What the environment says of the terminal.</summary>
public sealed class Locales
{
    [Theory]
    [InlineData(true, "C", "de_DE.UTF-8")]
    [InlineData(true, null, "POSIX")]
    [InlineData(true, "", "C")]
    [InlineData(false, "C.UTF-8", "C")]
    [InlineData(false, null, "de_DE.UTF-8")]
    [InlineData(false, null, null)]
    public void The_locale_C_gets_ASCII(bool expected, string? all, string? language) => Assert.Equal(
        expected, ConsoleFactory.IsAscii(name => name is "LC_ALL" ? all : name is "LANG" ? language : null));
}
