namespace Poolhouse.Tool.Servers;

/// <summary>
/// The data of new database servers, created once for this program and copied for each server, which takes a tenth of the time.
/// </summary>
/// <remarks>Thread safe. The folders are removed when this program ends.</remarks>
internal static class InitialData
{
    private static readonly Lock _gate = new();
    private static readonly Dictionary<string, Task<ServerFolder>> _made = new(StringComparer.Ordinal);

    /// <summary>Copies the data of one kind into a new folder.</summary>
    /// <param name="kind">Identifies the kind of data.</param>
    /// <param name="account">The account of the server, which creates and copies the data.</param>
    /// <param name="makeAsync">Creates the data, in a folder given to it that does not exist yet.</param>
    /// <param name="dataFolder">The new folder, in a folder that belongs to the account.</param>
    /// <param name="cancellationToken">Ends the wait for the data, and the copy.</param>
    /// <exception cref="InvalidOperationException">The data could not be created or copied; the next call tries
    /// again.</exception>
    public static async Task CopyAsync(
        string kind, ServerAccount account, Func<ServerFolder, string, Task> makeAsync, string dataFolder,
        CancellationToken cancellationToken)
    {
        Task<ServerFolder>? making;
        lock (_gate)
        {
            if (!_made.TryGetValue(kind, out making) || making.IsFaulted)
            {
                _made[kind] = making = Task.Run(() => MakeAsync(account, makeAsync), CancellationToken.None);
            }
        }

        var made = await making.WaitAsync(cancellationToken).ConfigureAwait(false);
        await ServerCommand.RunAsync(
            made.Path, account.CommandFor("cp", "-R", "-p", DataOf(made), dataFolder), cancellationToken).ConfigureAwait(false);
    }

    private static async Task<ServerFolder> MakeAsync(ServerAccount account, Func<ServerFolder, string, Task> makeAsync)
    {
        var folder = ServerFolder.Create();
        try
        {
            await account.GiveAsync(folder.Path, CancellationToken.None).ConfigureAwait(false);
            await makeAsync(folder, DataOf(folder)).ConfigureAwait(false);
            return folder;
        }
        catch
        {
            folder.Dispose();
            throw;
        }
    }

    private static string DataOf(ServerFolder folder) => folder.At("data");
}
