using Poolhouse.Data.Sessions;

namespace Poolhouse.Data.Wrappers;

/// <summary>The command or batch that a reader belongs to: it is busy until the reader is closed.</summary>
internal interface IReaderOwner
{
    void ReaderClosed(PhysicalConnection physical);

    /// <summary>The lease ends while the reader is open: the provider's command belongs to the reset from now on.</summary>
    /// <returns>Cancels the command.</returns>
    Action SetAside();
}
