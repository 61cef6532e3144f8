namespace Poolhouse.Data.Tests.Servers;

/// <summary>A SQLite database in a separate file, which is deleted after the test.</summary>
internal sealed class SqliteFile : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolhouse-sqlite-");

    /// <summary>With the provider's own pooling turned off.</summary>
    public string ConnectionString => $"Data Source={Path};Pooling=false";

    public string Path => System.IO.Path.Combine(_folder.FullName, "test.db");

    public void Dispose() => _folder.Delete(recursive: true);
}
