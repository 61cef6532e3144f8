namespace Poolhouse.Tool.Servers;

/// <summary>A server or a program that the tool has started failed, or could not be started.</summary>
internal sealed class ServerFailedException : InvalidOperationException
{
    public ServerFailedException()
    {
    }

    public ServerFailedException(string message)
        : base(message)
    {
    }

    public ServerFailedException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
