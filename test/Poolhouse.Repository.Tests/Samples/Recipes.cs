namespace Poolhouse.Repository.Tests.Samples;

/// <summary>The recipes for real clients, each with a real server or browser.</summary>
public sealed class Recipes
{
    [Theory]
    [InlineData("mail", "Refused: MailboxUnavailable.", "7 mails over at most 2 sessions: True.")]
    [InlineData("ssh", "123456 over at most 2 connections: True.")]
    [InlineData("redis", "101 over at most 2 multiplexers: True.")]
    [InlineData("quota", "3 + 3 + 3, at most 9: True.")]
    [InlineData("grpc", "1275 over at most 4 channels: True.")]
    [InlineData("browser", "123 in 1 browser: True.")]
    public async Task Each_recipe_uses_few_clients(string recipe, params string[] lines)
    {
        var run = await CommandLine.DotnetAsync(RepositoryFiles.OutputOf("Recipes"), recipe);
        var output = run.Output.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
        if (output is [var missing] && missing.EndsWith("is not installed.", StringComparison.Ordinal))
        {
            Assert.Skip(missing);
        }

        Assert.Equal(lines, output);
        Assert.Equal(0, run.ExitCode);
    }
}
