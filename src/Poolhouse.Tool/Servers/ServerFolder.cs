using System.Diagnostics;

namespace Poolhouse.Tool.Servers;

/// <summary>
/// The folder of a temporary server. The folder and the server are removed when it is disposed or when this program ends in any
/// way.
/// </summary>
// Who cleans up
//   a guard, a shell of ours that waits for the end of its input: the pipe closes when we dispose and also when we are killed
//   the next program to create a folder, if the guard was killed too: a folder is abandoned when no process holds the lock on its
//   owner file
// Both run the same script, which stops the process named in server.pid, if that still is our server, and removes the folder.
internal sealed class ServerFolder : IDisposable
{
    private const string Prefix = "poolhouse-server-";
    private const string UnfinishedPrefix = "poolhouse-unfinished-";
    private const string OwnerFile = "owner";

    private const string Script =
        """
        exec > /dev/null 2>&1
        trap '' INT TERM HUP
        cat
        server=$(cat "$1/server.pid")
        if [ -n "$server" ] && grep -aqF -- "$1" "/proc/$server/cmdline"; then
          kill -s CONT "$server"
          kill -s QUIT "$server"
          for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            grep -aqF -- "$1" "/proc/$server/cmdline" || break
            sleep 0.25
          done
          kill -s KILL "$server"
        fi
        rm -rf -- "$1"
        """;

    private readonly FileStream _owner;
    private readonly Process _guard;

    private ServerFolder(string path, FileStream owner)
    {
        Path = path;
        _owner = owner;
        _guard = StartGuard(path);
    }

    /// <summary>The full path.</summary>
    public string Path { get; }

    /// <summary>The file in which a server writes the id of its process.</summary>
    public string ProcessFile => At("server.pid");

    /// <summary>Creates an empty folder, and removes the folders of killed programs.</summary>
    public static ServerFolder Create() => Create(System.IO.Path.GetTempPath());

    /// <summary>As <see cref="Create()"/>, in another folder than that of temporary files, but on the same file system.</summary>
    internal static ServerFolder Create(string root)
    {
        Sweep(root);

        // It gets the name that others look for when it has an owner: a lock goes with its file, and between a file and its lock
        // is time enough to take the folder for an abandoned one.
        var unfinished = Directory.CreateTempSubdirectory(UnfinishedPrefix).FullName;
        var owner = Lock(unfinished, FileMode.CreateNew);
        var name = System.IO.Path.GetFileName(unfinished).Replace(UnfinishedPrefix, Prefix, StringComparison.Ordinal);
        var path = System.IO.Path.Combine(root, name);
        Directory.Move(unfinished, path);
        return new ServerFolder(path, owner);
    }

    /// <summary>The path of something in the folder.</summary>
    public string At(string name) => System.IO.Path.Combine(Path, name);

    /// <summary>The content of a file that a server may be writing; empty if there is no such file.</summary>
    public string ReadShared(string name)
    {
        if (!File.Exists(At(name)))
        {
            return "";
        }

        using var reader =
            new StreamReader(new FileStream(At(name), FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete));
        return reader.ReadToEnd();
    }

    /// <summary>Stops the server if it runs, and removes the folder.</summary>
    public void Dispose()
    {
        _guard.StandardInput.Close();
        _guard.WaitForExit();
        _guard.Dispose();
        _owner.Dispose();
    }

    private static void Sweep(string root)
    {
        foreach (var folder in Directory.GetDirectories(root, Prefix + "*"))
        {
            if (IsAbandoned(folder))
            {
                using var guard = StartGuard(folder);
                guard.StandardInput.Close();
                guard.WaitForExit();
            }
        }
    }

    // A folder without an owner file is being deleted, or belongs to another program.
    private static bool IsAbandoned(string folder)
    {
        try
        {
            Lock(folder, FileMode.Open).Dispose();
            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    // No other process can open it until it is closed, and the system closes it when this program ends.
    private static FileStream Lock(string folder, FileMode mode) =>
        new(System.IO.Path.Combine(folder, OwnerFile), mode, FileAccess.ReadWrite, FileShare.None);

    private static Process StartGuard(string path)
    {
        var start = ServerCommand.StartInfo(System.IO.Path.GetTempPath(), ["/bin/sh", "-c", Script, "sh", path]);
        start.RedirectStandardInput = true;
        return Process.Start(start)!;
    }
}
