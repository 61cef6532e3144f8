namespace Poolhouse.Repository.Tests.Packages;

/// <summary>The program of eng/release.sh, for one caller at a time.</summary>
// `dotnet run` builds the file first, and two builds of one file that has not been built yet disturb each other.
internal static class ReleaseProgram
{
    private static readonly SemaphoreSlim _turn = new(1);

    public static async Task<CommandLine.Outcome> RunAsync(params string[] arguments)
    {
        await _turn.WaitAsync();
        try
        {
            return await CommandLine.DotnetAsync(
                ["run", RepositoryFiles.PathOf("eng", "release", "Release.cs"), "--", .. arguments]);
        }
        finally
        {
            _turn.Release();
        }
    }
}
