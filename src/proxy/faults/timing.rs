//! A fault by which the answer comes, and comes late.

use hyper::body::Incoming;

use crate::proxy::caller::Answer;
use crate::proxy::forward::Content;

use super::Struck;

/// Seconds by which an answer is late.
const DELAY_S: f64 = 1.0;

impl Struck {
    /// `delay`: the answer begins later.
    pub(super) async fn delay(self, body: Incoming) -> Answer {
        match self.caller.forward(&self.call, self.head.clone(), Content::Passing(body)).await {
            Ok(begun) => {
                self.call.fired();
                let delay = self.due.duration(DELAY_S);
                self.call.goes_on_for(delay);
                self.hold(delay, std::future::pending()).await;
                Ok(self.caller.pass_back(&self.call, begun))
            }
            Err(failure) => self.fail(&failure),
        }
    }
}
